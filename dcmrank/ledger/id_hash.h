#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "dcmrank/random/rng.h"

namespace dcmrank::service {

/// A number of this process alone, so that nobody outside can choose ids that collide.
std::uint64_t process_secret();

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
  std::uint64_t word = 0;
  if (!id.empty()) std::memcpy(&word, id.data(), id.size());
  return mix64((hash ^ word) + kGolden);
}

}  // namespace dcmrank::service
