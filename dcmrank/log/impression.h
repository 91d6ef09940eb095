#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "dcmrank/model/interaction.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {

/// Longest id that is accepted, in bytes.
inline constexpr std::size_t kMaxId = 1024;

/// Longest list that is accepted.
inline constexpr std::size_t kMaxPositions = 256;

/// A hash of a text, eight bytes at a time; the last ones may be taken twice.
inline std::uint64_t hash_text(std::string_view text) {
  const auto word = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, text.data() + at, bytes);
    return value;
  };
  const std::size_t n = text.size();
  std::uint64_t hash = n * kGolden;
  const auto take = [&](std::uint64_t value) { hash = (hash ^ value) * 0x94d049bb133111ebU; };
  const auto fold = [&] { hash ^= hash >> 32; };
  if (n >= 8) {
    for (std::size_t at = 0; at + 8 < n; at += 8) take(word(at, 8)), fold();
    take(word(n - 8, 8));
  } else if (n >= 4) {
    take(word(0, 4) << 32 | word(n - 4, 4));
  } else {
    for (const char c : text) take(static_cast<unsigned char>(c));
  }
  return mix64(hash);
}

/// A query or an item as a log names it: any text, kept with its hash. The text belongs to whoever
/// made the id.
struct Id {
  std::string_view text;
  std::uint64_t hash = 0;

  Id() = default;
  explicit Id(std::string_view t) : text(t), hash(hash_text(t)) {}
  bool operator==(const Id& other) const { return hash == other.hash && text == other.text; }
};

/// One shown list and its clicks: what a log is made of. Views are valid during the call that
/// hands it over.
struct Impression {
  Id query;
  std::span<const Id> items;
  Clicks clicks;
};

/// What folds over the impressions of a log. One thread at a time.
class ImpressionSink {
 public:
  virtual ~ImpressionSink() = default;
  virtual void add(const Impression& impression) = 0;
};

}  // namespace dcmrank
