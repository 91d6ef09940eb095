#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "dcmrank/model/interaction.h"
#include "dcmrank/page/fields.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {

/// Longest id that is accepted, in bytes.
inline constexpr std::size_t kMaxId = 1024;
inline bool has_length_of_id(std::string_view text) { return text.size() - 1 < kMaxId; }

/// Longest list that is accepted.
inline constexpr std::size_t kMaxPositions = 256;

/// A query or an item as a log names it: any text without NUL. The text belongs to whoever made the
/// id. Short texts are compared and hashed as the two words that hold them, padded with zeros; of
/// longer ones the first word is a hash and the second kLong, which no UTF-8 text contains.
struct Id {
  static constexpr std::uint64_t kLong = UINT64_MAX;

  std::string_view text;
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  Id() = default;
  explicit Id(std::string_view t);
  /// The same of a padded text.
  static Id padded(std::string_view t);
  /// The words of a padded text, stored one by one: a copy of an id would wait for what was just
  /// stored.
  void set_padded_words(std::string_view t);
  bool is_short() const { return second != kLong; }
  bool operator==(const Id& other) const {
    return first == other.first && second == other.second && (is_short() || text == other.text);
  }
};

/// The `bytes` bytes at `from` as a number; `bytes` is a constant, so that it is one load.
template <std::size_t bytes>
std::uint64_t load(const char* from) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

/// A hash of a text of at least eight bytes, eight at a time; the last eight may overlap.
inline std::uint64_t hash_long(std::string_view text) {
  std::uint64_t hash = text.size();
  for (std::size_t at = 0; at + 8 < text.size(); at += 8) {
    hash = mix64(hash ^ load<8>(text.data() + at));
  }
  return mix64(hash ^ load<8>(text.data() + text.size() - 8));
}

// Loads overlap where the size is not a power of two: the shared bytes are or-ed with themselves.
inline Id::Id(std::string_view t) : text(t) {
  static_assert(std::endian::native == std::endian::little);
  const char* p = t.data();
  const std::size_t n = t.size();
  if (n > 16) {
    first = hash_long(t);
    second = kLong;
  } else if (n >= 8) {
    first = load<8>(p);
    if (n > 8) second = load<8>(p + n - 8) >> (8 * (16 - n));
  } else if (n >= 4) {
    first = load<4>(p) | load<4>(p + n - 4) << (8 * (n - 4));
  } else if (n > 0) {
    first = load<1>(p) | load<1>(p + n / 2) << (8 * (n / 2)) | load<1>(p + n - 1) << (8 * (n - 1));
  }
}

/// The first n bytes of two words, for n from 0 to 16.
inline constexpr auto kFirstBytes = [] {
  std::array<std::array<std::uint64_t, 2>, 17> bytes{};
  for (std::size_t n = 1; n <= 16; ++n) {
    bytes[n][0] = n < 8 ? (std::uint64_t{1} << (8 * n)) - 1 : UINT64_MAX;
    bytes[n][1] = n <= 8 ? 0 : UINT64_MAX >> (8 * (16 - n));
  }
  return bytes;
}();

[[gnu::always_inline]] inline void Id::set_padded_words(std::string_view t) {
  const std::size_t n = t.size();
  if (n <= 16) [[likely]] {
    first = load<8>(t.data()) & kFirstBytes[n][0];
    second = load<8>(t.data() + 8) & kFirstBytes[n][1];
  } else {
    first = hash_long(t);
    second = kLong;
  }
}

[[gnu::always_inline]] inline Id Id::padded(std::string_view t) {
  Id id;
  id.text = t;
  id.set_padded_words(t);
  return id;
}

/// What is remembered of a list that may be handed over again. Whoever hands it over keeps it, and
/// forgets it when the list is another.
struct ListMemory {
  std::uint64_t owner = 0;  // the sink that gave these numbers; 0: none
  std::uint32_t query = 0;
  std::vector<std::uint32_t> items = {};
  std::vector<std::uint64_t> hashes = {};  // of the list above each item without a click there

  void forget() {
    owner = 0;
    hashes.clear();
  }
};

/// One shown list and its clicks: what a log is made of. It has 1 to kMaxPositions items, and an
/// entry of `clicks` for each. Views are valid during the call that hands it over.
struct Impression {
  Id query;
  std::span<const Id> items;
  Clicks clicks;
  std::uint64_t session = 0;     // session_key() of the session it belongs to; 0: the log has none
  ListMemory* memory = nullptr;  // of query and items, where they may come again
};

/// A number for the session of that name, never 0.
inline std::uint64_t session_key(const Id& session) {
  const std::uint64_t key = mix64(session.first ^ mix64(session.second + kGolden));
  return key != 0 ? key : 1;
}
inline std::uint64_t session_key(std::string_view session) { return session_key(Id(session)); }

/// Throws std::logic_error where the numbers of items and clicks are not those of an impression.
void check_size(const Impression& impression);

/// A hash of query, items and clicks. Sums of it are the fingerprint of a log, whatever its order,
/// its format, its compression and its parts.
std::uint64_t hash_of(const Impression& impression);

/// The sum of the hashes of several.
std::uint64_t sum_of_hashes(std::span<const Impression> impressions);

/// Receives the impressions of a log. One thread at a time.
class ImpressionSink {
 public:
  virtual ~ImpressionSink() = default;
  virtual void add(const Impression& impression) = 0;
  /// Whether it only sums, so that pages which differ in nothing but their session may come later,
  /// all at once.
  virtual bool takes_repeats() const { return false; }
  /// The same page `times` times, at most kMostRepeats.
  virtual void add_repeated(const Impression& impression, std::uint32_t times) {
    for (std::uint32_t n = 0; n < times; ++n) add(impression);
  }
  static constexpr std::uint32_t kMostRepeats = 1U << 14U;
  /// Several pages, at most kMostTogether, in order.
  virtual void add_several(std::span<const Impression> impressions) {
    for (const Impression& impression : impressions) add(impression);
  }
  static constexpr std::size_t kMostTogether = 16;
};

}  // namespace dcmrank
