#pragma once

#include <string>

namespace dcmrank {

/// A text as LaTeX reads it: what it takes for commands is escaped; Greek letters, signs of
/// arithmetic and raised or lowered digits are in math mode; straight quotes become `` and ''.
/// Other letters are left to the document's encoding, UTF-8.
std::string latex(const std::string& text);

}  // namespace dcmrank
