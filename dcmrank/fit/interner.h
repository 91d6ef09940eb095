#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "dcmrank/base/blocks.h"
#include "dcmrank/page/impression.h"

namespace dcmrank {

/// Numbers texts 0, 1, 2, ... in the order in which they first occur. The same text in another
/// scope is another entry: items are interned in the scope of their query. An entry takes 31 to 35
/// bytes, its text included where it is short. One thread at a time; const members from several.
class Interner {
 public:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  Interner() = default;
  ~Interner() = default;
  Interner(Interner&&) noexcept = default;
  Interner& operator=(Interner&&) noexcept = default;
  Interner(const Interner& other) { *this = other; }
  Interner& operator=(const Interner& other);

  std::uint32_t intern(std::uint32_t scope, const Id& id);
  std::uint32_t find(std::uint32_t scope, const Id& id) const;

  /// The same in steps, between which others are taken, so that the cache misses of several ids
  /// overlap: the hash, which fetches where to look; a likely number (or kAbsent), which fetches
  /// what is known of it; the number.
  std::uint64_t look_up(std::uint32_t scope, const Id& id) const {
    const std::uint64_t hash = hash_of(scope, id.first, id.second);
    if (!groups_.empty()) __builtin_prefetch(&groups_[home(hash)]);
    return hash;
  }
  std::uint32_t likely(std::uint64_t hash) const {
    if (groups_.empty()) return kAbsent;
    const Group& group = groups_[home(hash)];
    const std::uint32_t same = group.with(tag_of(hash));
    if (same == 0) return kAbsent;
    const std::uint32_t entry = group.entry[static_cast<std::size_t>(std::countr_zero(same))];
    __builtin_prefetch(&entries_[entry]);
    return entry;
  }
  std::uint32_t intern(std::uint32_t scope, const Id& id, std::uint64_t hash,
                       std::uint32_t likely) {
    if (likely != kAbsent && holds(entries_[likely], scope, id)) return likely;
    const std::uint32_t found = find(scope, id, hash);
    return found != kAbsent ? found : insert(scope, id, hash);
  }

  std::size_t size() const { return entries_.size(); }
  std::string_view text(std::uint32_t n) const { return text(entries_[n]); }
  std::uint32_t scope(std::uint32_t n) const { return entries_[n].scope; }

  /// Afterwards nothing can be found, only iterated over; for its next owner.
  void forget_slots() { groups_ = {}; }
  void forget_before(std::uint32_t n) { entries_.forget_before(n); }

 private:
  /// A short text stands in the entry itself, as in an Id; of a long one the first word is its
  /// hash, the second where it is.
  struct Entry {
    std::uint64_t first;
    std::uint64_t second;
    std::uint32_t scope;
    std::uint32_t size;
  };
  /// Twelve slots in a cache line: a byte of the hash of each, 0 where it is free, and its entry.
  struct alignas(64) Group {
    static constexpr std::size_t kSlots = 12;
    std::array<std::uint8_t, 16> tag;  // of which the last four are unused
    std::array<std::uint32_t, kSlots> entry;

    /// A bit for each slot that has the tag.
    std::uint32_t with(std::uint8_t wanted) const {
#if defined(__SSE2__)
      const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(tag.data()));
      const __m128i same = _mm_cmpeq_epi8(tags, _mm_set1_epi8(static_cast<char>(wanted)));
      return static_cast<std::uint32_t>(_mm_movemask_epi8(same)) & ((1U << kSlots) - 1);
#else
      std::uint32_t same = 0;
      for (std::size_t s = 0; s < kSlots; ++s) same |= (tag[s] == wanted ? 1U : 0U) << s;
      return same;
#endif
    }
  };
  static constexpr std::size_t kShort = 16;
  static constexpr std::size_t kTextBlock = std::size_t{1} << 18U;  // above the longest text

  static std::uint64_t hash_of(std::uint32_t scope, std::uint64_t first, std::uint64_t second) {
    const std::uint64_t hash = (first ^ (scope * kGolden)) * 0xbf58476d1ce4e5b9U;
    return (hash ^ (hash >> 32U) ^ second) * 0x94d049bb133111ebU;
  }
  static std::uint64_t hash_of(const Entry& entry) {
    return hash_of(entry.scope, entry.first, entry.size > kShort ? Id::kLong : entry.second);
  }
  static std::uint8_t tag_of(std::uint64_t hash) {
    const auto tag = static_cast<std::uint8_t>(hash >> 24U);
    return tag != 0 ? tag : 1;
  }
  std::size_t home(std::uint64_t hash) const {
    return static_cast<std::size_t>(((hash >> 32U) * groups_.size()) >> 32U);
  }
  std::string_view text(const Entry& entry) const {
    if (entry.size <= kShort) return {reinterpret_cast<const char*>(&entry.first), entry.size};
    return {texts_[entry.second / kTextBlock].get() + entry.second % kTextBlock, entry.size};
  }
  bool holds(const Entry& entry, std::uint32_t scope, const Id& id) const {
    if (entry.first != id.first || entry.scope != scope) return false;
    if (!id.is_short()) return entry.size > kShort && text(entry) == id.text;
    return entry.second == id.second && entry.size <= kShort;
  }
  // A group that is full goes on in the next.
  std::uint32_t find(std::uint32_t scope, const Id& id, std::uint64_t hash) const;
  void put(std::uint64_t hash, std::uint32_t entry);
  std::uint32_t insert(std::uint32_t scope, const Id& id, std::uint64_t hash);
  std::uint64_t keep_text(std::string_view text);
  void grow();

  std::vector<Group> groups_;  // at most three quarters full
  Blocks<Entry> entries_;
  std::vector<std::unique_ptr<char[]>> texts_;  // of long ids
  std::size_t text_end_ = 0;                    // in the last block
};

inline std::uint32_t Interner::find(std::uint32_t scope, const Id& id, std::uint64_t hash) const {
  if (groups_.empty()) return kAbsent;
  const std::uint8_t tag = tag_of(hash);
  std::size_t g = home(hash);
  for (;;) {
    const Group& group = groups_[g];
    for (std::uint32_t same = group.with(tag); same != 0; same &= same - 1) {
      const std::uint32_t entry = group.entry[static_cast<std::size_t>(std::countr_zero(same))];
      if (holds(entries_[entry], scope, id)) return entry;
    }
    if (group.with(0) != 0) return kAbsent;
    if (++g == groups_.size()) g = 0;
  }
}

inline std::uint32_t Interner::find(std::uint32_t scope, const Id& id) const {
  return find(scope, id, hash_of(scope, id.first, id.second));
}

inline std::uint32_t Interner::intern(std::uint32_t scope, const Id& id) {
  return intern(scope, id, hash_of(scope, id.first, id.second), kAbsent);
}

}  // namespace dcmrank
