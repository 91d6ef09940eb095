#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/browsing/table.h"

namespace dcmrank {

/// A cell of a browsing table in which an item was shown at all.
struct SeenCell {
  double shown = 0;
  double clicked = 0;
  std::uint32_t context = 0;
  std::uint32_t position = 0;  // of the context
};

/// A browsing table of which only the cells that are not empty are kept: most are empty, and what
/// is computed from a row need not look at those. Room is never given back, so that nothing is
/// allocated where as much was needed before.
class SeenTable {
 public:
  explicit SeenTable(std::size_t positions);

  std::size_t items() const { return places_.size(); }
  std::size_t positions() const { return positions_; }
  std::size_t contexts() const { return position_of_.size(); }
  bool empty() const { return used_ == 0; }

  /// The items of which anything was seen, in the order in which they were put.
  std::span<const Item> seen() const { return seen_; }

  /// Begins anew with so many items.
  void clear(std::size_t items);
  void reserve(std::size_t cells);

  std::span<const SeenCell> row(Item e) const {
    return std::span(cells_).subspan(places_[e].first, places_[e].size);
  }

  /// A row of the table.
  void put(Item e, std::span<const BrowsingCell> row);

  /// The same as numbers: shown and clicked in context 0, then in context 1, and so on. What is
  /// missing at the end is 0; what is out of range, since something was taken back that was never
  /// there, is brought into it.
  void put(Item e, std::span<const double> row);

  void add(Item e, std::size_t context, double shown, double clicked);

 private:
  struct Place {
    std::size_t first = 0;
    std::size_t size = 0;
  };

  template <class CellAt>
  void put_cells(Item e, std::size_t count, CellAt at);
  void move_to_end(Item e);

  std::size_t positions_;
  std::vector<std::uint32_t> position_of_;  // by context
  std::vector<Place> places_;               // by item
  std::vector<Item> seen_;
  std::vector<SeenCell> cells_;
  std::size_t used_ = 0;  // of these
};

}  // namespace dcmrank
