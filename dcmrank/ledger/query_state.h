#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/ledger/id_hash.h"
#include "dcmrank/ledger/row.h"

namespace dcmrank::service {

/// The rows of the items of one query, found by id.
class ItemRows {
 public:
  /// What is kept of an item. The row is as the store has it: most numbers of a long one are 0.
  struct Entry {
    std::string id;
    std::string blob;
    std::uint32_t changes = 0;
    std::uint64_t digest_of = 0;  // what the digest rests on besides the row; 0: there is none
    std::vector<double> digest;   // what a policy made of the row (Learner)

    Row row() const { return parse_row(blob); }
  };

  /// Nothing if nothing is known about the item. `hash` is id_hash(id).
  const Entry* entry(std::string_view id, std::uint64_t hash) const;
  /// Has what entry() will look at first, or next, fetched from the memory meanwhile.
  void fetch_slot(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  void fetch_entry(std::uint64_t hash) const {
    if (slots_.empty()) return;
    const std::uint32_t entry = slots_[hash & (slots_.size() - 1)].entry;
    if (entry != 0) __builtin_prefetch(&entries_[entry - 1]);
  }
  /// The row of an item; empty if nothing is known about it.
  Row find(std::string_view id) const;

  /// row += sign * delta; the item is entered where it is new.
  void add(std::string_view id, const Row& delta, Fixed sign);

  void clear() { *this = ItemRows(); }

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

  std::span<const Entry> entries() const { return entries_; }

  /// Keeps a digest with an entry that has not changed since.
  void keep(std::size_t n, std::uint32_t changes, std::uint64_t of, std::span<const double> digest);

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
