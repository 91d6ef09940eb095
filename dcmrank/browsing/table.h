#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// How often an item was shown in a context, and clicked: whole numbers, which are exact below
/// 2^53.
struct BrowsingCell {
  double shown = 0;
  double clicked = 0;

  bool operator==(const BrowsingCell&) const = default;
};

/// The contexts in which a position is looked at, as in the user browsing model (Dupret and
/// Piwowarski, SIGIR 2008): the position and how far above it the last click is, or that there is
/// none. Context 0 is the first position; the contexts of position k (from 0) are k + 1, the last
/// of them the one without a click above.
inline std::size_t contexts_above(std::size_t k) { return k * (k + 1) / 2; }

/// `clicks_ago`: how many positions above k the last click is; 0: there is none.
inline std::size_t context_of(std::size_t k, std::size_t clicks_ago) {
  return contexts_above(k) + (clicks_ago == 0 ? k : clicks_ago - 1);
}

/// Calls use(k, context) for every position on the screen. Only so many positions are told apart:
/// those below count as the last of them, a click farther above as one that is as far as can be.
template <class Use>
void for_contexts(Clicks clicks, std::size_t positions, Use use) {
  std::size_t ago = 0;  // how far above the last click is; 0: none
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    const std::size_t as = std::min(k, positions - 1);
    use(k, context_of(as, std::min(ago, as)));
    ago = clicks[k] != 0 ? 1 : ago + (ago > 0 ? 1 : 0);
  }
}

/// What was seen of every item in every context. Whole numbers that are sums over pages: whatever
/// the order in which clicks come, late or not, the table is the same.
class BrowsingTable {
 public:
  BrowsingTable(std::size_t items, std::size_t positions);

  std::size_t items() const { return rows_.size(); }
  std::size_t positions() const { return positions_; }
  std::size_t contexts() const { return contexts_; }

  void add(std::span<const Item> list, Clicks clicks);

  /// The item's cells, one for each context; empty where it was never on a screen.
  std::span<const BrowsingCell> row(Item e) const;
  std::span<BrowsingCell> make_row(Item e);

  /// How many items were on a screen.
  std::size_t seen() const { return cells_.size() / contexts_; }

  /// Cells that there is room for without allocation.
  std::size_t room() const { return cells_.capacity(); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::size_t positions_;
  std::size_t contexts_;
  std::vector<std::uint32_t> rows_;  // of each item, in cells_
  std::vector<BrowsingCell> cells_;
};

/// The cells that are not empty, as [item, context, shown, clicked]; less what `before` has.
nlohmann::ordered_json cells_to_json(const BrowsingTable& table,
                                     const BrowsingTable* before = nullptr);

/// Adds the cells of the member `name`. Throws InputError for what cells_to_json would not write.
void add_cells(const nlohmann::ordered_json& state, const char* name, BrowsingTable& table);

}  // namespace dcmrank
