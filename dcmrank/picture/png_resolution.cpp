#include "dcmrank/picture/png_resolution.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dcmrank::gnuplot {
namespace {

// PNG (ISO/IEC 15948), sec. 5: a signature, then chunks of length, type, data and checksum, of
// which IHDR, with 13 bytes of data, is the first.
constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
constexpr std::size_t kHeaderEnd = 8 + 12 + 13;

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(number >> shift);
  return bytes;
}

// Annex D: CRC-32.
std::uint32_t checksum(std::string_view bytes) {
  constexpr std::uint32_t kPolynomial = 0xEDB88320;
  std::uint32_t sum = ~std::uint32_t{0};
  for (const char c : bytes) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? kPolynomial : 0);
  }
  return ~sum;
}

}  // namespace

void set_png_resolution(std::string& bytes, double pixels_per_metre) {
  if (!bytes.starts_with(kSignature) || bytes.size() < kHeaderEnd) return;
  if (bytes.substr(0, bytes.find("IDAT")).find("pHYs") != std::string::npos) return;
  const std::string pixels = big_endian(static_cast<std::uint32_t>(std::lround(pixels_per_metre)));
  constexpr char kMetre = 1;
  const std::string chunk = "pHYs" + pixels + pixels + kMetre;
  bytes.insert(kHeaderEnd, big_endian(static_cast<std::uint32_t>(chunk.size() - 4)) + chunk +
                               big_endian(checksum(chunk)));
}

}  // namespace dcmrank::gnuplot
