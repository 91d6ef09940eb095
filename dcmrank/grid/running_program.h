#pragma once

#include <string>

namespace dcmrank {

/// A name for a text that differs where the text does.
std::string name_of_text(const std::string& text);

/// A name for the build that is running, the shared libraries of others that it has loaded
/// included: what their linker made of them, or else of the bytes of their files.
std::string running_program();

}  // namespace dcmrank
