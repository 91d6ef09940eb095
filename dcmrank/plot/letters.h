#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dcmrank {

/// A letter of a text of UTF-8.
struct Letter {
  std::uint32_t code;
  std::string text;
  bool operator<(const Letter& other) const { return code < other.code; }
};

/// Calls `each` for every letter of a text of UTF-8.
template <class Each>
void for_letters(const std::string& text, std::size_t from, const Each& each) {
  for (std::size_t at = from; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t n = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    std::uint32_t code = n == 1 ? byte : byte & (0xFFU >> (n + 1));
    for (std::size_t i = 1; i < n && at + i < text.size(); ++i) {
      code = code << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    }
    each(Letter{code, text.substr(at, n)});
    at += n;
  }
}

/// How many letters a text has, which are fewer than its bytes.
std::size_t count_letters(const std::string& text);

/// How wide a text is in a proportional font, in sizes of the font: letter by letter as in DejaVu
/// Sans, which is among the widest.
double text_width(const std::string& text);

}  // namespace dcmrank
