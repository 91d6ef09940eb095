#include "dcmrank/browsing/seen_table.h"

#include <algorithm>

namespace dcmrank {

SeenTable::SeenTable(std::size_t positions) : positions_(positions) {
  for (std::uint32_t k = 0; k < positions; ++k) position_of_.insert(position_of_.end(), k + 1, k);
}

void SeenTable::clear(std::size_t items) {
  places_.assign(items, {});
  seen_.clear();
  seen_.reserve(items);  // so that a fit allocates nothing
  used_ = 0;
}

void SeenTable::reserve(std::size_t cells) {
  if (cells_.size() < cells) cells_.resize(std::max(cells, 2 * cells_.size()));
}

// Every cell is written, but only one that is not empty stays: the processor cannot predict which.
template <class CellAt>
void SeenTable::put_cells(Item e, std::size_t count, CellAt at) {
  reserve(used_ + contexts());
  SeenCell* const first = cells_.data() + used_;
  SeenCell* next = first;
  for (std::uint32_t b = 0; b < count; ++b) {
    const BrowsingCell cell = at(b);
    *next = {cell.shown, cell.clicked, b, position_of_[b]};
    next += cell.shown > 0 ? 1 : 0;
  }
  if (next != first && places_[e].size == 0) seen_.push_back(e);
  places_[e] = {used_, static_cast<std::size_t>(next - first)};
  used_ += places_[e].size;
}

void SeenTable::put(Item e, std::span<const BrowsingCell> row) {
  put_cells(e, row.size(), [&](std::uint32_t b) { return row[b]; });
}

void SeenTable::put(Item e, std::span<const double> row) {
  const std::size_t whole = std::min(row.size() / 2, contexts());
  put_cells(e, whole, [&](std::uint32_t b) {
    const std::size_t at = std::size_t{2} * b;
    const double clicked = std::max(0.0, row[at + 1]);
    return BrowsingCell{std::max(row[at], clicked), clicked};
  });
  const bool ends_early = whole < contexts() && row.size() % 2 == 1;
  if (ends_early && row.back() > 0) add(e, whole, row.back(), 0);
}

void SeenTable::move_to_end(Item e) {
  Place& place = places_[e];
  if (place.first + place.size == used_) return;
  reserve(used_ + place.size);
  const auto from = cells_.begin() + static_cast<std::ptrdiff_t>(place.first);
  std::copy_n(from, place.size, cells_.begin() + static_cast<std::ptrdiff_t>(used_));
  place.first = used_;
  used_ += place.size;
}

void SeenTable::add(Item e, std::size_t context, double shown, double clicked) {
  const auto cells = std::span(cells_).subspan(places_[e].first, places_[e].size);
  const auto at = std::find_if(cells.begin(), cells.end(),
                               [&](const SeenCell& cell) { return cell.context == context; });
  if (at != cells.end()) {
    at->shown += shown;
    at->clicked += clicked;
    return;
  }
  if (cells.empty()) seen_.push_back(e);
  move_to_end(e);
  reserve(used_ + 1);
  cells_[used_++] = {shown, clicked, static_cast<std::uint32_t>(context), position_of_[context]};
  ++places_[e].size;
}

}  // namespace dcmrank
