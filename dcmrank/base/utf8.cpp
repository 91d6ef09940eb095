#include "dcmrank/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace dcmrank {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

bool continues(unsigned byte) { return (byte & 0xc0U) == 0x80U; }

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

}  // namespace dcmrank
