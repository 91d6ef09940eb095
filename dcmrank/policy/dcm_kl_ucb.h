// dcmKL-UCB, Algorithm 1 of Katariya, Kveton, Szepesvari and Wen (ICML 2016), and its two
// single-click variants of Sec. 5.2, which differ only in the counting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/policy/counting.h"
#include "dcmrank/policy/placement.h"
#include "dcmrank/policy/policy.h"
#include "dcmrank/policy/state.h"

namespace dcmrank {

/// Where the one sample of every item, from which the algorithm starts, comes from.
enum class Initialisation {
  kFree,           // Algorithm 1: w_0 is observed before the first step
  kFirstPosition,  // Sec. 3.3: step t <= L shows item t at position 1; its regret counts
};

class DcmKlUcb {
 public:
  struct Options {
    Counting counting = Counting::kPrefix;
    Initialisation init = Initialisation::kFree;
    PositionOrder order;  // must name every position once
  };

  DcmKlUcb(const Shape& shape, Options options)
      : options_(std::move(options)), counts_(shape.items), scored_(shape.items) {}

  bool wants_initial_sample() const { return options_.init == Initialisation::kFree; }

  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (Item e = 0; e < counts_.size(); ++e) counts_[e].add(attracted[e] != 0);
  }

  void rank(Rng& rng, Ranking& ranking) {
    const TieBreak ties(rng());
    if (initialising()) return rank_initial(ties, ranking);
    const double budget = paper_budget(round_);
    for (Item e = 0; e < counts_.size(); ++e) scored_[e] = {kl_ucb(counts_[e], budget), e};
    place(scored_, options_.order, ties, ranking.items);
  }

  void update(const Ranking& shown, Clicks clicks) {
    if (initialising()) {
      // Sec. 3.3: only position 1 is used, so that every item starts from exactly one sample.
      if (!clicks.empty()) counts_[shown.items[0]].add(clicks[0] != 0);
    } else {
      count(options_.counting, shown.items, clicks, counts_);
    }
    ++round_;
  }

  nlohmann::ordered_json save() const {
    return {{"round", round_}, {"counts", counts_to_json(counts_)}};
  }

  void load(const nlohmann::ordered_json& state) {
    round_ = round_from_json(state);
    counts_from_json(state, counts_);
  }

 private:
  bool initialising() const {
    return options_.init == Initialisation::kFirstPosition && round_ <= counts_.size();
  }

  // Item t at position 1, the positions below filled at random.
  void rank_initial(TieBreak ties, Ranking& ranking) {
    const Item first = static_cast<Item>(round_ - 1);
    for (Item e = 0; e < counts_.size(); ++e) scored_[e] = {e == first ? 1.0 : 0.0, e};
    place(scored_, top_down(options_.order.size()), ties, ranking.items);
  }

  Options options_;
  std::uint64_t round_ = 1;  // t of the next list
  std::vector<Counts> counts_;
  std::vector<Scored> scored_;  // scratch of rank
};

static_assert(Policy<DcmKlUcb>);

}  // namespace dcmrank
