#pragma once

#include <string>

namespace dcmrank {

/// A name for a text that differs where the text does.
std::string name_of_text(const std::string& text);

/// A name for the build that is running: what its linker made of it, or else of the bytes of its
/// file.
std::string running_program();

}  // namespace dcmrank
