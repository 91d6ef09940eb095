#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "dcmrank/random/rng.h"

namespace dcmrank::service {

/// A number of this process alone, so that nobody outside can choose ids that collide.
std::uint64_t process_secret();

/// Up to 7 bytes as a number, by loads of known sizes: no two texts of a size have the same.
inline std::uint64_t short_word(std::string_view text) {
  const auto byte = [&](std::size_t n) {
    return std::uint64_t{static_cast<unsigned char>(text[n])};
  };
  if (text.empty()) return 0;
  if (text.size() < 4) return byte(0) | byte(text.size() / 2) << 8U | byte(text.size() - 1) << 16U;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::memcpy(&first, text.data(), 4);
  std::memcpy(&last, text.data() + text.size() - 4, 4);
  return first | std::uint64_t{last} << 32U;
}

/// A hash of an id under a secret of this process.
inline std::uint64_t id_hash(std::string_view id) {
  static const std::uint64_t secret = process_secret();
  std::uint64_t hash = secret ^ (id.size() * kGolden);
  while (id.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, id.data(), 8);
    hash = mix64(hash ^ word);
    id.remove_prefix(8);
  }
  return mix64((hash ^ short_word(id)) + kGolden);
}

}  // namespace dcmrank::service
