// ubm-ts (browsing_policy.h) over items that come and go (open_policy.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dcmrank/browsing/draws.h"
#include "dcmrank/browsing/seen_table.h"
#include "dcmrank/browsing/shared_examination.h"
#include "dcmrank/placement/placement.h"
#include "dcmrank/policy/open_policy.h"

namespace dcmrank {

/// An item's row is how often it was shown and how often clicked in context 0, then in context 1,
/// and so on: whole numbers. What a page adds depends on the page and its clicks alone, never on
/// what was believed when they came. The row of fewer positions is the beginning of that of more.
///
/// How users look at positions is not in these rows: it is the same for all queries of a model, and
/// fitted from their rows from time to time (Shares). Ranking fits nothing: O(items x contexts).
class OpenBrowsing {
 public:
  /// The n-th best item goes to the position order[n].
  explicit OpenBrowsing(PositionOrder order);

  static RowFamily family() {
    return {"browsing", counts_in, false, true, item_fault, no_numbers, true};
  }

  void open(std::size_t items);
  std::size_t item_row() const { return 2 * table_.contexts(); }
  static constexpr std::size_t position_row() { return 0; }
  static void put_round(std::uint64_t /*t*/) {}  // pages are told by what was counted
  void put_item(Item e, std::span<const double> row);
  static void put_position(std::size_t /*k*/, std::span<const double> /*row*/) {}

  /// Counts as so many looks at the first position.
  void add_prior(Item e, const Counts& prior);

  void rank(Rng& rng, Ranking& ranking);
  void update(const Ranking& shown, Clicks clicks);
  static void impose(Ranking& /*ranking*/) {}

  void get_item(Item e, std::span<double> row) const;
  static void get_position(std::size_t /*k*/, std::span<double> /*row*/) {}
  double score(Item e, std::size_t /*position*/) const { return scores_[e]; }
  double estimate(Item e);

  /// Attraction, what is known of it, and the shares of positions.
  std::size_t digest_size() const { return 4 + scales_.size(); }
  void put_digest(Item e, std::span<const double> digest);
  void get_digest(Item e, std::span<double> digest);

  std::size_t shared_row() const { return SharedExamination::row_size(table_.positions()); }
  void put_shared(std::span<const double> row);
  std::vector<double> fit_shared(std::span<const std::span<const double>> item_rows) const;

 private:
  static Counts counts_in(std::span<const double> row);
  static std::string_view item_fault(std::span<const double> row, double pages);
  void believe();
  void believe(Item e);

  PositionOrder order_;
  SeenTable table_;
  SharedExamination nothing_shared_;  // what is known without any rows
  SharedExamination shared_;
  // What these say about the items; made when it is asked for.
  std::vector<std::uint8_t> believed_;  // by item
  std::vector<double> attraction_;
  std::vector<KnownItem> known_;
  std::vector<double> share_;
  // Of the list that was ranked last.
  std::vector<double> scores_;
  // Scratch.
  std::vector<WeightedSums> at_position_;
  std::vector<double> scales_;
  std::vector<Scored> scored_;
  AttractionDraws draws_;
};

}  // namespace dcmrank
