#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// How often an item was shown in a context, and clicked.
struct BrowsingCell {
  std::uint64_t shown = 0;
  std::uint64_t clicked = 0;

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

/// Calls use(k, context) for every position on the screen.
template <class Use>
void for_contexts(Clicks clicks, Use use) {
  std::size_t ago = 0;  // how far above the last click is; 0: none
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    use(k, context_of(k, ago));
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

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::size_t positions_;
  std::size_t contexts_;
  std::vector<std::uint32_t> rows_;  // of each item, in cells_
  std::vector<BrowsingCell> cells_;
};

/// What a table says about users and items: P(click) = w_e g_b for item e in context b, fitted by
/// weighted sums, and how sure that is.
struct BrowsingFit {
  /// Clicks and looks, weighted by the inverse of a click's variance over its mean.
  struct Sums {
    double clicks = 0;
    double looks = 0;
  };

  /// Of an item: what a Beta distribution of its attraction is made from, between two fits too.
  struct Known {
    double observed = 0;     // T: looks, in units of a look at the first position
    double attracted = 0;    // S
    double examination = 1;  // that of an average look at the item
  };

  std::vector<double> examination;  // g, by context
  std::vector<double> attraction;   // w, by item; the fit's estimate
  std::vector<Known> known;         // by item
  double average = .5;              // the attraction of an average item

  /// That attraction and examination are known only together: if the examination of position k is
  /// e^x times what was fitted, an item's attraction is e^(-share_k x) times that. Shares of
  /// positions 1, 2, ... (from 0), positions - 1 for each item.
  std::vector<double> share;
  /// The doubt about these x: the inverse of their covariance is R R^T, R lower triangular.
  std::vector<double> root;

  // Scratch, so that a fit allocates nothing.
  std::vector<Sums> sums;  // by context
  std::vector<Sums> at_position;
  std::vector<double> slope;  // of the likelihood by these x
};

/// The cells that are not empty, as [item, context, shown, clicked]; less what `before` has.
nlohmann::ordered_json cells_to_json(const BrowsingTable& table,
                                     const BrowsingTable* before = nullptr);

/// Adds the cells of the member `name`. Throws InputError for what cells_to_json would not write.
void add_cells(const nlohmann::ordered_json& state, const char* name, BrowsingTable& table);

/// Sweeps of weighted sums, and steps of Newton's method for the scale of each position. The fit
/// depends on the table alone: it begins from constants. O(items seen x contexts); no allocation
/// where `fit` had its room from an earlier one.
/// Examination is that of the first position, which is 1, times at most `most_examined`.
void fit(const BrowsingTable& table, double most_examined, BrowsingFit& fit);
inline void fit(const BrowsingTable& table, BrowsingFit& result) { fit(table, 1, result); }

}  // namespace dcmrank
