#include "dcmrank/browsing/table.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"

namespace dcmrank {

BrowsingTable::BrowsingTable(std::size_t items, std::size_t positions)
    : positions_(positions), contexts_(contexts_above(positions)), rows_(items, kNone) {
  constexpr std::size_t kFew = 256;                     // items for which there is room at once
  constexpr std::size_t kMost = std::size_t{1} << 18U;  // cells for which there is
  cells_.reserve(std::min(kMost, std::min(items, kFew) * contexts_));
}

std::span<const BrowsingCell> BrowsingTable::row(Item e) const {
  if (rows_[e] == kNone) return {};
  return std::span(cells_).subspan(rows_[e] * contexts_, contexts_);
}

std::span<BrowsingCell> BrowsingTable::make_row(Item e) {
  if (rows_[e] == kNone) {
    rows_[e] = static_cast<std::uint32_t>(seen());
    cells_.resize(cells_.size() + contexts_);
  }
  return std::span(cells_).subspan(rows_[e] * contexts_, contexts_);
}

void BrowsingTable::add(std::span<const Item> list, Clicks clicks) {
  for_contexts(clicks, positions_, [&](std::size_t k, std::size_t context) {
    BrowsingCell& cell = make_row(list[k])[context];
    ++cell.shown;
    cell.clicked += clicks[k] != 0 ? 1 : 0;
  });
}

nlohmann::ordered_json cells_to_json(const BrowsingTable& table, const BrowsingTable* before) {
  auto cells = nlohmann::ordered_json::array();
  for (Item e = 0; e < table.items(); ++e) {
    const auto row = table.row(e);
    const auto had = before != nullptr ? before->row(e) : std::span<const BrowsingCell>();
    for (std::size_t b = 0; b < row.size(); ++b) {
      const BrowsingCell less = had.empty() ? BrowsingCell{} : had[b];
      if (row[b].shown == less.shown) continue;
      cells.push_back({e, b, static_cast<std::uint64_t>(row[b].shown - less.shown),
                       static_cast<std::uint64_t>(row[b].clicked - less.clicked)});
    }
  }
  return cells;
}

void add_cells(const nlohmann::ordered_json& state, const char* name, BrowsingTable& table) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 52U;
  const auto& cells = fields::array(state, name);
  for (const auto& cell : cells) {
    std::array<std::uint64_t, 4> n{};
    bool whole = cell.is_array() && cell.size() == n.size();
    for (std::size_t i = 0; whole && i < n.size(); ++i) {
      whole = cell[i].is_number_unsigned();
      if (whole) n[i] = cell[i].get<std::uint64_t>();
    }
    if (!whole || n[0] >= table.items() || n[1] >= table.contexts() || n[2] == 0 || n[2] > kMost ||
        n[3] > n[2]) {
      throw InputError(
          fmt::format("\"{}\" has {}, not [item, context, shown, clicked]", name, cell.dump()));
    }
    BrowsingCell& to = table.make_row(static_cast<Item>(n[0]))[n[1]];
    to.shown += static_cast<double>(n[2]);
    to.clicked += static_cast<double>(n[3]);
  }
}

}  // namespace dcmrank
