#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dcmrank/base/blocks.h"
#include "dcmrank/log/impression.h"

namespace dcmrank {

/// Numbers texts 0, 1, 2, ... in the order in which they first occur. The same text in another
/// scope is another entry: items are interned in the scope of their query. An entry takes 34 to 39
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

  /// Brings what find or intern will look at into the cache.
  void prefetch(std::uint32_t scope, const Id& id) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(hash_of(scope, id.first, id.second))]);
  }

  std::size_t size() const { return entries_.size(); }
  std::string_view text(std::uint32_t n) const { return text(entries_[n]); }
  std::uint32_t scope(std::uint32_t n) const { return entries_[n].scope; }

  /// Nothing can be found any more, only walked through; for who takes it over.
  void forget_slots() { slots_ = {}; }
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
  struct Slot {
    std::uint32_t tag;    // of the hash
    std::uint32_t entry;  // kAbsent: free
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
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 8U); }
  std::size_t home(std::uint64_t hash) const {
    return static_cast<std::size_t>(((hash >> 32U) * slots_.size()) >> 32U);
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
  // The slot that holds the id, or the free one where it belongs. Linear probing.
  std::size_t slot_of(std::uint32_t scope, const Id& id, std::uint64_t hash) const;
  std::uint32_t insert(std::uint32_t scope, const Id& id, std::uint64_t hash);
  std::uint64_t keep_text(std::string_view text);
  void grow();

  std::vector<Slot> slots_;  // at most four fifths full
  Blocks<Entry> entries_;
  std::vector<std::unique_ptr<char[]>> texts_;  // of long ids
  std::size_t text_end_ = 0;                    // in the last block
};

inline std::size_t Interner::slot_of(std::uint32_t scope, const Id& id, std::uint64_t hash) const {
  const std::uint32_t tag = tag_of(hash);
  std::size_t s = home(hash);
  for (;;) {
    const Slot slot = slots_[s];
    if (slot.entry == kAbsent || (slot.tag == tag && holds(entries_[slot.entry], scope, id))) {
      return s;
    }
    if (++s == slots_.size()) s = 0;
  }
}

inline std::uint32_t Interner::find(std::uint32_t scope, const Id& id) const {
  if (slots_.empty()) return kAbsent;
  return slots_[slot_of(scope, id, hash_of(scope, id.first, id.second))].entry;
}

inline std::uint32_t Interner::intern(std::uint32_t scope, const Id& id) {
  const std::uint64_t hash = hash_of(scope, id.first, id.second);
  if (!slots_.empty()) {
    const std::uint32_t found = slots_[slot_of(scope, id, hash)].entry;
    if (found != kAbsent) return found;
  }
  return insert(scope, id, hash);
}

}  // namespace dcmrank
