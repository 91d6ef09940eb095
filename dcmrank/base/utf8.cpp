#include "dcmrank/base/utf8.h"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace dcmrank {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

bool continues(unsigned byte) { return (byte & 0xc0U) == 0x80U; }

// Those of Latin-1 (U+0080 to U+009F), which terminals obey too, are of two bytes.
bool is_control(unsigned first, unsigned second) {
  return first < 0x20 || first == 0x7f || (first == 0xc2 && second < 0xa0);
}

}  // namespace

std::size_t character_at(std::string_view text, std::size_t i) {
  const unsigned a = byte_at(text, i);
  const unsigned b = byte_at(text, i + 1);
  if (a < 0x80) return 1;
  if (a < 0xc2 || a > 0xf4 || !continues(b)) return 0;
  if (a < 0xe0) return 2;
  if ((a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f)) return 0;
  if (!continues(byte_at(text, i + 2))) return 0;
  if (a < 0xf0) return 3;
  if ((a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f)) return 0;
  return continues(byte_at(text, i + 3)) ? 4 : 0;
}

// Eight plain characters at a time, where there are.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    std::uint64_t eight = ~std::uint64_t{0};
    if (i + sizeof eight <= text.size()) std::memcpy(&eight, text.data() + i, sizeof eight);
    if ((eight & 0x8080'8080'8080'8080U) == 0) {
      i += sizeof eight;
      continue;
    }
    const std::size_t length = character_at(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_at(text, i);
    if (length > 0 && !is_control(byte_at(text, i), byte_at(text, i + 1))) {
      result += text.substr(i, length);
      i += length;
      continue;
    }
    const std::size_t end = i + (length > 0 ? length : 1);
    for (; i < end; ++i) result += fmt::format("\\x{:02x}", byte_at(text, i));
  }
  return result;
}

}  // namespace dcmrank
