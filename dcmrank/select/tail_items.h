#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dcmrank/index/thompson_index.h"
#include "dcmrank/model/counts.h"
#include "dcmrank/model/interaction.h"
#include "dcmrank/random/beta_tail.h"
#include "dcmrank/select/blocked_sums.h"

namespace dcmrank {

/// The items of Thompson sampling by the probability that they draw above a threshold. It is large
/// for few; of the many others, those that do are found without drawing the rest. One thread at a
/// time.
class TailItems {
 public:
  /// `optimistic`: an item is worth its draw, but not less than its mean.
  TailItems(std::size_t items, bool optimistic);

  /// O(L). Items of `counts` that are certainly worth 1 are left out (is_certain).
  void build(double threshold, std::span<const Counts> counts);
  /// The counts of this item have changed to these. O(log L).
  void change(Item e, const Counts& counts);

  std::size_t size() const { return rates_.size(); }
  double threshold() const { return tail_.threshold(); }
  /// How many items exceed the threshold in a round, on average and roughly; a function of the
  /// threshold and the counts.
  double expected() const;
  /// How many exceed it in practically every round; a function of the same.
  std::size_t always() const { return always_; }

  /// Frequent items are drawn in every round, whether or not above the threshold.
  bool is_frequent(Item e) const { return slots_[e] != kNoSlot; }
  std::span<const Item> frequent() const { return frequent_; }

  /// The draws of the other items above the threshold: calls use(item, draw). An item for which it
  /// is not called has drawn less.
  template <class Use>
  void draw_rare(std::uint64_t key, std::span<const Counts> counts, Use use) const {
    Arrivals arrivals(subkey(key, kArrivalsKey));
    const std::uint64_t draws_key = subkey(key, kDrawsKey);
    std::size_t last = rates_.size();
    while (next_arrivals(arrivals)) {
      for (std::size_t i = 0; i < arrivals.size; ++i)
        __builtin_prefetch(counts.data() + arrivals.at[i]);
      for (std::size_t i = 0; i < arrivals.size; ++i) {
        const std::size_t e = arrivals.at[i];
        if (e == last || e >= rates_.size() || rates_[e] <= 0) continue;
        last = e;  // the others at the same item come next
        CounterRng rng(subkey(draws_key, e));
        const BetaShape shape = posterior_shape(counts[e]);
        const double draw = tail_.draw(shape.a, shape.b, rng);
        if (draw >= 0) use(static_cast<Item>(e), draw);
      }
    }
  }

  /// An item that attracted whenever it was observed: optimistically it is worth 1.
  static bool is_certain(const Counts& counts) {
    return counts.observed > 0 && counts.attracted >= counts.observed;
  }

 private:
  static constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint64_t kArrivalsKey = (std::uint64_t{1} << 32) + 1;
  static constexpr std::uint64_t kDrawsKey = (std::uint64_t{1} << 32) + 2;

  static constexpr std::uint64_t kAlways = std::uint64_t{1} << 32;

  // What the threshold means for items of given counts.
  struct Plan {
    double rate = 0;           // of a Poisson process whose first arrival is a proposal
    std::uint64_t weight = 0;  // of a frequent item: how often above, of kAlways
    bool is_frequent = false;
  };
  struct Planned {
    Counts counts{-1, -1};
    Plan plan;
  };

  // A Poisson process on the line on which each item has its rate as an interval: as independent
  // processes of all items, without looking at those in which nothing arrives.
  struct Arrivals {
    explicit Arrivals(std::uint64_t key) : rng(key) {}
    static constexpr std::size_t kRoom = 16;
    CounterRng rng;
    double time = 0;
    std::size_t size = 0;
    std::array<double, kRoom> when{};
    std::array<std::size_t, kRoom> at{};
  };
  bool next_arrivals(Arrivals& arrivals) const;

  Plan plan(const Counts& counts);
  Plan make_plan(const Counts& counts) const;
  void enter_frequent(Item e, std::uint64_t weight);
  void leave_frequent(Item e);

  bool optimistic_;
  BetaTail tail_{.5};
  BlockedSums rates_;  // 0 where frequent
  std::vector<Item> frequent_;
  std::vector<std::uint64_t> weights_;  // of the frequent
  std::vector<std::uint32_t> slots_;    // where an item is among the frequent
  std::uint64_t frequent_weight_ = 0;
  std::size_t always_ = 0;
  std::vector<Planned> planned_;  // by a hash of the counts: many items have equal ones
};

}  // namespace dcmrank
