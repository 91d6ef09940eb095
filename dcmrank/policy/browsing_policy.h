// Thompson sampling on a user browsing model that is fitted as pages come (browsing_fit.h): for
// users whose kind is not known. Named ubm-ts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/browsing/compared_list.h"
#include "dcmrank/browsing/draws.h"
#include "dcmrank/browsing/fit.h"
#include "dcmrank/browsing/overdue.h"
#include "dcmrank/browsing/table.h"
#include "dcmrank/placement/placement.h"
#include "dcmrank/policy/open_browsing.h"
#include "dcmrank/policy/policy.h"
#include "dcmrank/select/scored.h"
#include "dcmrank/select/thompson_selection.h"

namespace dcmrank {

class BrowsingPolicy {
 public:
  /// The n-th best item goes to the position order[n].
  BrowsingPolicy(const Shape& shape, PositionOrder order);

  /// Makes the room that the first rank or update would make, which grows with the square of K. A
  /// policy that only lends its view to a service needs none.
  void begin();

  void rank(Rng& rng, Ranking& ranking);

  /// The same, but no comparison is made because it is overdue (overdue.h): on a page that another
  /// policy, which knows better, leaves to this one.
  void rank_unasked(Rng& rng, Ranking& ranking);

  /// The same, but explorers are compared where looks are cheap (compared_list.h); where items are
  /// many, they are not.
  void rank_compared(Rng& rng, Ranking& ranking);

  /// O(K), or O(K log L) if items are many; now and then the model is fitted anew, which is
  /// O(items seen x K^2), but rarely enough to stay below some microseconds per page.
  void update(const Ranking& shown, Clicks clicks);

  nlohmann::ordered_json save() const;
  void load(const nlohmann::ordered_json& state);

  OpenBrowsing open_view() const { return OpenBrowsing(order_); }

  /// log P(clicks), by what was learned so far.
  double foretell(std::span<const Item> list, Clicks clicks) const;

  /// How many it has learned from.
  std::uint64_t pages() const { return pages_; }

  /// The attraction of an average item.
  double average() const { return fit_.average; }

 private:
  bool is_many() const { return many_.has_value(); }
  void draw_scales(std::uint64_t key);
  void draw_all(std::uint64_t key);
  void draw_best(std::uint64_t key);
  void draw(std::uint64_t key, bool asks);
  double scaled(double draw, Item e) const;
  void fit_anew();
  void count_sharply();
  Counts sharp(Item e) const;
  std::uint64_t pages_to_next_fit() const;

  PositionOrder order_;
  BrowsingTable table_;
  BrowsingTable fitted_;  // the table at the last fit
  BrowsingFit fit_;       // its fit; what is known of items moves on with every page
  std::uint64_t pages_ = 0;
  std::uint64_t next_fit_ = 0;
  // Where items are many, not all are drawn.
  std::optional<ThompsonSelection> many_;
  std::vector<Counts> sharp_;  // by item
  // Scratch of rank.
  std::vector<double> scales_;
  std::vector<Scored> scored_;
  std::vector<Item> best_;
  AttractionDraws draws_;
  OverdueComparison overdue_;
  ComparedList compared_;
};

}  // namespace dcmrank
