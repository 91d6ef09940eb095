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

const ItemRows::Entry* ItemRows::entry(std::string_view id, std::uint64_t hash) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = slots_[slot_of(id, hash)];
  return slot.entry == 0 ? nullptr : &entries_[slot.entry - 1];
}

Row ItemRows::find(std::string_view id) const {
  const Entry* found = entry(id, id_hash(id));
  return found == nullptr ? Row() : found->row();
}

void ItemRows::grow() {
  slots_.assign(std::max<std::size_t>(16, slots_.size() * 2), {});
  for (std::uint32_t n = 0; n < entries_.size(); ++n) {
    const std::uint64_t hash = id_hash(entries_[n].id);
    slots_[slot_of(entries_[n].id, hash)] = {static_cast<std::uint32_t>(hash >> 32U), n + 1};
  }
}

void ItemRows::add(std::string_view id, const Row& delta, Fixed sign) {
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  const std::uint64_t hash = id_hash(id);
  Slot& slot = slots_[slot_of(id, hash)];
  if (slot.entry == 0) {
    entries_.push_back({std::string(id), {}, 0, 0, {}});
    slot = {static_cast<std::uint32_t>(hash >> 32U), static_cast<std::uint32_t>(entries_.size())};
    bytes_ += sizeof(Entry) + 4 * sizeof(Slot) + id.size();
  }
  Entry& entry = entries_[slot.entry - 1];
  Row row = entry.row();
  row.add(delta, sign);
  bytes_ -= entry.blob.size();
  entry.blob = row_blob(row);
  bytes_ += entry.blob.size();
  entry.digest_of = 0;
  ++entry.changes;
}

void ItemRows::keep(std::size_t n, std::uint32_t changes, std::uint64_t of,
                    std::span<const double> digest) {
  Entry& entry = entries_[n];
  if (entry.changes != changes) return;
  bytes_ += (digest.size() - entry.digest.size()) * sizeof(double);
  entry.digest.assign(digest.begin(), digest.end());
  entry.digest_of = of;
}

std::size_t QueryState::bytes() const {
  return items.bytes() + positions.size() * (sizeof(Row) + 4 * sizeof(Fixed));
}

}  // namespace dcmrank::service
