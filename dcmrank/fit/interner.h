#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "dcmrank/base/blocks.h"
#include "dcmrank/page/impression.h"

namespace dcmrank {

/// What stands with each text; `scope` is the interner's.
struct NoValue {
  std::uint32_t scope;
};

/// Numbers texts 0, 1, 2, ... in the order in which they first occur. The same text in another
/// scope is another entry: items are interned in the scope of their query. With each entry stands a
/// value, which begins as zeros but for its scope. An entry takes 23 to 27 bytes and those of its
/// value, its text included where it is short. One thread at a time; const members from several.
template <class Value>
class InternerOf {
  struct Entry;

 public:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;
  /// Where an entry is, and stays; null: nowhere.
  using Place = Entry*;

  InternerOf() = default;
  ~InternerOf() = default;
  InternerOf(InternerOf&&) noexcept = default;
  InternerOf& operator=(InternerOf&&) noexcept = default;
  InternerOf(const InternerOf& other) { *this = other; }
  InternerOf& operator=(const InternerOf& other);

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

  /// The same without numbers: a likely place, which is fetched, and the value there if it is that
  /// of the id.
  Place likely_place(std::uint64_t hash) {
    if (groups_.empty()) return nullptr;
    const Group& group = groups_[home(hash)];
    const std::uint32_t same = group.with(tag_of(hash));
    if (same == 0) return nullptr;
    Entry* const place = &entries_[group.entry[static_cast<std::size_t>(std::countr_zero(same))]];
    __builtin_prefetch(place, 1);
    return place;
  }
  static Value* value_at(Place place, std::uint32_t scope, const Id& id) {
    if (place == nullptr || !holds_short(*place, scope, id)) return nullptr;
    return &place->value;
  }

  std::size_t size() const { return entries_.size(); }
  std::string_view text(std::uint32_t n) const { return text(entries_[n]); }
  std::uint32_t scope(std::uint32_t n) const { return entries_[n].value.scope; }
  Value& value(std::uint32_t n) { return entries_[n].value; }
  const Value& value(std::uint32_t n) const { return entries_[n].value; }

  /// Afterwards nothing can be found, only iterated over; for its next owner.
  void forget_slots() { groups_ = {}; }
  void forget_before(std::uint32_t n) { entries_.forget_before(n); }

 private:
  /// A short text stands in the entry itself, as in an Id; of a long one the first word is its
  /// hash, the second, above kLongAt, where it is: its size, and then itself.
  struct Entry {
    std::uint64_t first;
    std::uint64_t second;
    Value value;

    bool is_short() const { return second < kLongAt; }
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
  /// No UTF-8 text has a byte of 0xff.
  static constexpr std::uint64_t kLongAt = std::uint64_t{0xff} << 56U;
  using Size = std::uint32_t;                                       // of a long text
  static constexpr std::size_t kTextBlock = std::size_t{1} << 18U;  // above the longest text

  static std::uint64_t hash_of(std::uint32_t scope, std::uint64_t first, std::uint64_t second) {
    const std::uint64_t hash = (first ^ (scope * kGolden)) * 0xbf58476d1ce4e5b9U;
    return (hash ^ (hash >> 32U) ^ second) * 0x94d049bb133111ebU;
  }
  static std::uint64_t hash_of(const Entry& entry) {
    return hash_of(entry.value.scope, entry.first, entry.is_short() ? entry.second : Id::kLong);
  }
  static std::uint8_t tag_of(std::uint64_t hash) {
    const auto tag = static_cast<std::uint8_t>(hash >> 24U);
    return tag != 0 ? tag : 1;
  }
  std::size_t home(std::uint64_t hash) const {
    return static_cast<std::size_t>(((hash >> 32U) * groups_.size()) >> 32U);
  }
  std::string_view text(const Entry& entry) const {
    if (entry.is_short()) {
      const auto bits = std::bit_width(entry.second == 0 ? entry.first : entry.second);
      const auto bytes = static_cast<std::size_t>(bits + 7) / 8 + (entry.second == 0 ? 0 : 8);
      return {reinterpret_cast<const char*>(&entry.first), bytes};
    }
    const std::uint64_t at = entry.second - kLongAt;
    const char* const kept = texts_[at / kTextBlock].get() + at % kTextBlock;
    Size size = 0;
    std::memcpy(&size, kept, sizeof size);
    return {kept + sizeof size, size};
  }
  // Of a long entry the second word is no kLong.
  static bool holds_short(const Entry& entry, std::uint32_t scope, const Id& id) {
    return ((entry.first ^ id.first) | (entry.second ^ id.second) | (entry.value.scope ^ scope)) ==
           0;
  }
  bool holds(const Entry& entry, std::uint32_t scope, const Id& id) const {
    if (id.is_short()) return holds_short(entry, scope, id);
    return entry.first == id.first && entry.value.scope == scope && !entry.is_short() &&
           text(entry) == id.text;
  }
  // A group that is full goes on in the next.
  std::uint32_t find(std::uint32_t scope, const Id& id, std::uint64_t hash) const;
  void put(std::uint64_t hash, std::uint32_t entry);
  std::uint32_t insert(std::uint32_t scope, const Id& id, std::uint64_t hash);
  std::uint64_t keep_text(std::string_view text);
  void grow();

  std::vector<Group> groups_;  // at most three quarters full
  Blocks<Entry> entries_;
  std::vector<std::unique_ptr<char[]>> texts_;  // of long ids; NOLINT(*-avoid-c-arrays)
  std::size_t text_end_ = 0;                    // in the last block
};

template <class Value>
std::uint32_t InternerOf<Value>::find(std::uint32_t scope, const Id& id, std::uint64_t hash) const {
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

template <class Value>
std::uint32_t InternerOf<Value>::find(std::uint32_t scope, const Id& id) const {
  return find(scope, id, hash_of(scope, id.first, id.second));
}

template <class Value>
std::uint32_t InternerOf<Value>::intern(std::uint32_t scope, const Id& id) {
  return intern(scope, id, hash_of(scope, id.first, id.second), kAbsent);
}

template <class Value>
InternerOf<Value>& InternerOf<Value>::operator=(const InternerOf& other) {
  if (this == &other) return *this;
  groups_ = other.groups_;
  entries_ = other.entries_;
  texts_.clear();
  text_end_ = other.text_end_;
  for (const auto& block : other.texts_) {
    texts_.push_back(std::make_unique<char[]>(kTextBlock));  // NOLINT(*-avoid-c-arrays)
    std::memcpy(texts_.back().get(), block.get(), kTextBlock);
  }
  return *this;
}

// Where a text and its size stand that are not cut by the end of a block.
template <class Value>
std::uint64_t InternerOf<Value>::keep_text(std::string_view text) {
  const auto size = static_cast<Size>(text.size());
  const std::size_t needed = sizeof size + text.size();
  if (needed > kTextBlock) throw std::length_error("an id is too long");
  if (texts_.empty() || kTextBlock - text_end_ < needed) {
    texts_.push_back(std::make_unique<char[]>(kTextBlock));  // NOLINT(*-avoid-c-arrays)
    text_end_ = 0;
  }
  std::memcpy(texts_.back().get() + text_end_, &size, sizeof size);
  std::memcpy(texts_.back().get() + text_end_ + sizeof size, text.data(), text.size());
  const std::uint64_t at = (texts_.size() - 1) * kTextBlock + text_end_;
  text_end_ += needed;
  return kLongAt + at;
}

template <class Value>
std::uint32_t InternerOf<Value>::insert(std::uint32_t scope, const Id& id, std::uint64_t hash) {
  if (id.is_short() && id.second >= kLongAt) throw std::invalid_argument("an id is no UTF-8");
  if (4 * (entries_.size() + 1) > 3 * groups_.size() * Group::kSlots) grow();
  const auto entry = static_cast<std::uint32_t>(entries_.size());
  put(hash, entry);
  Entry added{id.first, id.is_short() ? id.second : keep_text(id.text), {}};
  added.value.scope = scope;
  entries_.push_back(added);
  return entry;
}

// Into the first free slot.
template <class Value>
void InternerOf<Value>::put(std::uint64_t hash, std::uint32_t entry) {
  std::size_t g = home(hash);
  while (groups_[g].with(0) == 0) {
    if (++g == groups_.size()) g = 0;
  }
  Group& group = groups_[g];
  const auto slot = static_cast<std::size_t>(std::countr_zero(group.with(0)));
  group.tag[slot] = tag_of(hash);
  group.entry[slot] = entry;
}

// The groups are made anew from the entries: there are never old and new ones at once.
template <class Value>
void InternerOf<Value>::grow() {
  if (entries_.size() >= kAbsent - 1) throw std::runtime_error("more than 4 billion ids");
  const std::size_t size = std::max<std::size_t>(8, groups_.size() + groups_.size() / 2);
  groups_ = {};
  groups_.resize(size);
  for (std::size_t n = 0; n < entries_.size(); ++n) {
    put(hash_of(entries_[n]), static_cast<std::uint32_t>(n));
  }
}

using Interner = InternerOf<NoValue>;

}  // namespace dcmrank
