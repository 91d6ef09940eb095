#pragma once

#include <bit>
#include <cstdint>

namespace dcmrank {

/// Told from the bits: with -ffast-math, by which headers may be compiled elsewhere, comparisons
/// and std::isnan take for granted that there is none.
inline bool is_nan(double x) {
  constexpr std::uint64_t kMagnitude = UINT64_MAX >> 1U;
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52U;
  return (std::bit_cast<std::uint64_t>(x) & kMagnitude) > kInfinity;
}

}  // namespace dcmrank
