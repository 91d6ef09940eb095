#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/log/impression.h"

namespace dcmrank {

/// Gives texts numbers 0, 1, 2, ... in the order in which they first come. The same text in another
/// scope is another entry: items are interned in the scope of their query. One thread at a time;
/// const members from several.
class Interner {
 public:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  std::uint32_t intern(std::uint32_t scope, const Id& id);
  std::uint32_t find(std::uint32_t scope, const Id& id) const;

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
  struct Slot {
    std::uint32_t tag;  // upper half of the hash
    std::uint32_t entry;
  };

  static std::uint64_t key(std::uint32_t scope, const Id& id) {
    return id.hash ^ (scope * kGolden);
  }
  bool holds(const Slot& slot, std::uint32_t tag, std::uint32_t scope, const Id& id) const {
    return slot.tag == tag && entries_[slot.entry].scope == scope && text(slot.entry) == id.text;
  }
  // The slot that holds the id, or the free one where it belongs. Linear probing.
  std::size_t slot_of(std::uint32_t scope, const Id& id) const;
  void grow();

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<Entry> entries_;
  std::string texts_;
};

inline std::size_t Interner::slot_of(std::uint32_t scope, const Id& id) const {
  const std::uint64_t hash = key(scope, id);
  const auto tag = static_cast<std::uint32_t>(hash >> 32U);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t s = hash & mask;; s = (s + 1) & mask) {
    if (slots_[s].entry == kAbsent || holds(slots_[s], tag, scope, id)) return s;
  }
}

inline std::uint32_t Interner::find(std::uint32_t scope, const Id& id) const {
  return slots_.empty() ? kAbsent : slots_[slot_of(scope, id)].entry;
}

inline std::uint32_t Interner::intern(std::uint32_t scope, const Id& id) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  Slot& slot = slots_[slot_of(scope, id)];
  if (slot.entry != kAbsent) return slot.entry;
  slot = {static_cast<std::uint32_t>(key(scope, id) >> 32U),
          static_cast<std::uint32_t>(entries_.size())};
  entries_.push_back({texts_.size(), static_cast<std::uint32_t>(id.text.size()), scope});
  texts_ += id.text;
  return slot.entry;
}

}  // namespace dcmrank
