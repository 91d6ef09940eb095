#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <zlib.h>

#include "dcmrank/base/error.h"

namespace dcmrank {

inline constexpr std::string_view kCompactMark = "dcmrankM";
inline constexpr std::uint32_t kCompactVersion = 1;
inline constexpr std::size_t kCompactStart = 16;  // mark, version, 0
inline constexpr std::size_t kCompactEntry = 16;  // hash, offset
inline constexpr std::size_t kCompactEnd =
    48;  // queries, items, index, head, checksums of the head and of the index, mark

/// CRC-32, of what came `before`, too.
inline std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// FNV-1a.
inline std::uint64_t hash_of_id(std::string_view id) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

/// How numbers and texts stand in a compact model file (docs/formats-logs.md). Little-endian.
class CompactWriter {
 public:
  template <class Number>
  void fixed(Number value) {
    static_assert(std::endian::native == std::endian::little);
    const std::size_t end = out.size();
    out.resize(end + sizeof value);
    std::memcpy(out.data() + end, &value, sizeof value);
  }

  /// Seven bits a byte, the lowest first; the highest bit says that another follows.
  void whole(std::uint64_t value) {
    for (; value > 127; value >>= 7U) out += static_cast<char>(value | 128U);
    out += static_cast<char>(value);
  }

  /// Twice a whole number below 2^53, or 1 and then a double.
  void number(double value) {
    if (value >= 0 && value < 0x1p53 && !std::signbit(value) &&
        value == static_cast<double>(static_cast<std::uint64_t>(value))) {
      whole(static_cast<std::uint64_t>(value) << 1U);
    } else {
      whole(1);
      fixed(value);
    }
  }

  void text(std::string_view value) {
    whole(value.size());
    out += value;
  }

  std::string out;
};

/// Reads what CompactWriter wrote; throws InputError if the bytes end before.
class CompactReader {
 public:
  explicit CompactReader(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  Number fixed() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::uint64_t whole() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
    throw InputError("a number of more than 64 bits");
  }

  double number() {
    const std::uint64_t value = whole();
    if ((value & 1U) == 0) return static_cast<double>(value >> 1U);
    return fixed<double>();
  }

  std::string_view text() { return take(whole()); }

  /// A number of things of which each takes at least a byte.
  std::size_t count() {
    const std::uint64_t value = whole();
    if (value > bytes_.size()) throw InputError("the bytes end too early");
    return static_cast<std::size_t>(value);
  }

  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view take(std::uint64_t n) {
    if (n > bytes_.size()) throw InputError("the bytes end too early");
    const std::string_view taken = bytes_.substr(0, n);
    bytes_.remove_prefix(n);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace dcmrank
