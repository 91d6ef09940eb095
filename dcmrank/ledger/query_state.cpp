#include "dcmrank/ledger/query_state.h"

#include <algorithm>
#include <utility>

#include <sodium.h>

namespace dcmrank::service {

std::uint64_t process_secret() {
  std::uint64_t secret = 0;
  randombytes_buf(&secret, sizeof secret);
  return secret;
}

std::size_t ItemRows::slot_of(std::string_view id, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto upper = static_cast<std::uint32_t>(hash >> 32U);
  std::size_t at = hash & mask;
  while (slots_[at].entry != 0 &&
         !(slots_[at].hash == upper && entries_[slots_[at].entry - 1].id == id)) {
    at = (at + 1) & mask;
  }
  return at;
}

std::span<const Fixed> ItemRows::find(std::string_view id, std::uint64_t hash) const {
  if (slots_.empty()) return {};
  const Slot& slot = slots_[slot_of(id, hash)];
  return slot.entry == 0 ? std::span<const Fixed>{} : entries_[slot.entry - 1].row;
}

void ItemRows::grow() {
  slots_.assign(std::max<std::size_t>(16, slots_.size() * 2), {});
  for (std::uint32_t n = 0; n < entries_.size(); ++n) {
    const std::uint64_t hash = id_hash(entries_[n].id);
    slots_[slot_of(entries_[n].id, hash)] = {static_cast<std::uint32_t>(hash >> 32U), n + 1};
  }
}

void ItemRows::add(std::string_view id, std::span<const Fixed> delta, Fixed sign) {
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  const std::uint64_t hash = id_hash(id);
  Slot& slot = slots_[slot_of(id, hash)];
  if (slot.entry == 0) {
    entries_.push_back({std::string(id), {}});
    slot = {static_cast<std::uint32_t>(hash >> 32U), static_cast<std::uint32_t>(entries_.size())};
    bytes_ += sizeof(Entry) + 4 * sizeof(Slot) + id.size() + delta.size() * sizeof(Fixed);
  }
  add_row(entries_[slot.entry - 1].row, delta, sign);
}

std::size_t QueryState::bytes() const {
  return items.bytes() + positions.size() * (sizeof(Row) + 4 * sizeof(Fixed));
}

}  // namespace dcmrank::service
