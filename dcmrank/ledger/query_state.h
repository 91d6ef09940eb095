#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/ledger/fixed.h"
#include "dcmrank/ledger/id_hash.h"

namespace dcmrank::service {

/// The rows of the items of one query, found by id.
class ItemRows {
 public:
  /// The row of an item; empty if nothing is known about it. `hash` is id_hash(id).
  std::span<const Fixed> find(std::string_view id, std::uint64_t hash) const;
  std::span<const Fixed> find(std::string_view id) const { return find(id, id_hash(id)); }

  /// row += sign * delta; the item is entered where it is new.
  void add(std::string_view id, std::span<const Fixed> delta, Fixed sign);

  void clear() { *this = ItemRows(); }

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

  struct Entry {
    std::string id;
    Row row;
  };
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::size_t slot_of(std::string_view id, std::uint64_t hash) const;
  void grow();

  // Open addressing: 0 is free, otherwise the number of an entry, from 1, with the upper half of
  // its hash.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = 0;
  };
  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
  std::size_t bytes_ = 0;
};

/// What is known about one (model, query) pair: one DCM bandit. The sum of what its impressions
/// contributed, of what was imported, and of nothing else.
struct QueryState {
  std::uint64_t rounds = 0;
  std::vector<Row> positions;
  ItemRows items;

  std::size_t bytes() const;
};

}  // namespace dcmrank::service
