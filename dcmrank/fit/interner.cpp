#include "dcmrank/fit/interner.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace dcmrank {

std::uint32_t Interner::insert(std::uint32_t scope, const Id& id) {
  if (entries_.size() >= room_) grow();
  const auto entry = static_cast<std::uint32_t>(entries_.size());
  slots_[slot_of(scope, id)] = {id.first, id.second, scope, entry};
  entries_.push_back({texts_.size(), static_cast<std::uint32_t>(id.text.size()), scope});
  texts_ += id.text;
  return entry;
}

void Interner::grow() {
  if (entries_.size() >= kAbsent - 1) throw std::runtime_error("more than 4 billion ids");
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(std::max<std::size_t>(64, 2 * old.size()), {0, 0, 0, kAbsent});
  mask_ = slots_.size() - 1;
  room_ = slots_.size() / 4 * 3;
  for (const Slot& slot : old) {
    if (slot.entry == kAbsent) continue;
    std::size_t s = home(slot.scope, slot.first, slot.second);
    while (slots_[s].entry != kAbsent) s = (s + 1) & mask_;
    slots_[s] = slot;
  }
}

}  // namespace dcmrank
