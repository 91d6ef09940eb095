#include "dcmrank/plot/letters.h"

#include <array>

namespace dcmrank {
namespace {

// Of the letters from blank to ~, in hundredths of the size of the font.
constexpr std::uint32_t kFirst = 0x20;
constexpr std::array<std::uint8_t, 95> kWidths{
    32, 40, 46, 84, 64, 95, 78, 27, 39,  39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69,  61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84};

bool is_accent(std::uint32_t code) { return code >= 0x300 && code < 0x370; }

double width_of(std::uint32_t code) {
  if (code >= kFirst && code - kFirst < kWidths.size()) return kWidths.at(code - kFirst) / 100.0;
  if (code < kFirst || is_accent(code)) return 0;  // it has no place of its own
  constexpr double kUsual = 0.65;                  // Latin and Greek
  constexpr double kWide = 1;                      // arrows and signs, Chinese, Japanese, Korean
  constexpr std::uint32_t kFirstCyrillic = 0x400;
  constexpr std::uint32_t kFirstWide = 0x1100;
  return code >= kFirstWide ? kWide : code >= kFirstCyrillic ? 0.75 : kUsual;
}

}  // namespace

std::size_t count_letters(const std::string& text) {
  std::size_t n = 0;
  for_letters(text, 0, [&](const Letter&) { ++n; });
  return n;
}

double text_width(const std::string& text) {
  double width = 0;
  for_letters(text, 0, [&](const Letter& letter) { width += width_of(letter.code); });
  return width;
}

}  // namespace dcmrank
