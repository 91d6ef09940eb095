#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/log/impression.h"

namespace dcmrank {

/// Numbers texts 0, 1, 2, ... in the order in which they first occur. The same text in another
/// scope is another entry: items are interned in the scope of their query. One thread at a time;
/// const members from several.
class Interner {
 public:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  std::uint32_t intern(std::uint32_t scope, const Id& id);
  std::uint32_t find(std::uint32_t scope, const Id& id) const;

  /// Brings what find or intern will look at into the cache.
  void prefetch(std::uint32_t scope, const Id& id) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(scope, id.first, id.second)]);
  }

  std::size_t size() const { return entries_.size(); }
  std::string_view text(std::uint32_t n) const {
    return {texts_.data() + entries_[n].offset, entries_[n].size};
  }
  std::uint32_t scope(std::uint32_t n) const { return entries_[n].scope; }

 private:
  struct Entry {
    std::uint64_t offset;  // into texts_
    std::uint32_t size;
    std::uint32_t scope;
  };
  // Holds the whole text of a short id, so that a look-up touches nothing else.
  struct Slot {
    std::uint64_t first;
    std::uint64_t second;
    std::uint32_t scope;
    std::uint32_t entry;  // kAbsent: free
  };

  std::size_t home(std::uint32_t scope, std::uint64_t first, std::uint64_t second) const {
    const std::uint64_t hash = (first ^ (scope * kGolden)) * 0xbf58476d1ce4e5b9U;
    const std::uint64_t both = (hash ^ (hash >> 32U) ^ second) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>(both >> 32U ^ both >> 11U) & mask_;
  }
  bool holds(const Slot& slot, std::uint32_t scope, const Id& id) const {
    return slot.first == id.first && slot.second == id.second && slot.scope == scope &&
           (id.is_short() || text(slot.entry) == id.text);
  }
  // The slot that holds the id, or the free one where it belongs. Linear probing.
  std::size_t slot_of(std::uint32_t scope, const Id& id) const;
  std::uint32_t insert(std::uint32_t scope, const Id& id);
  void grow();

  std::vector<Slot> slots_;  // a power of two, at most three quarters full
  std::size_t mask_ = 0;     // of the number of slots
  std::size_t room_ = 0;     // entries until the slots must grow
  std::vector<Entry> entries_;
  std::string texts_;
};

inline std::size_t Interner::slot_of(std::uint32_t scope, const Id& id) const {
  std::size_t s = home(scope, id.first, id.second);
  while (slots_[s].entry != kAbsent && !holds(slots_[s], scope, id)) {
    s = (s + 1) & mask_;
  }
  return s;
}

inline std::uint32_t Interner::find(std::uint32_t scope, const Id& id) const {
  return slots_.empty() ? kAbsent : slots_[slot_of(scope, id)].entry;
}

inline std::uint32_t Interner::intern(std::uint32_t scope, const Id& id) {
  const std::uint32_t found = find(scope, id);
  return found != kAbsent ? found : insert(scope, id);
}

}  // namespace dcmrank
