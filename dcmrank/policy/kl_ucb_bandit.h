// KL-UCB (Garivier and Cappe, COLT 2011) as the bandit of one position: the base algorithm of
// RankedKL-UCB (Sec. 5.2), with the same index and budget as dcmKL-UCB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/index/kl_ucb_bounds.h"
#include "dcmrank/policy/placement.h"
#include "dcmrank/policy/ranked.h"

namespace dcmrank {

class KlUcbBandit {
 public:
  static constexpr bool kUsesInitialSample = true;

  explicit KlUcbBandit(const Shape& shape) : counts_(shape.items), bounds_(shape.items) {}

  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (Item e = 0; e < counts_.size(); ++e) counts_[e].add(attracted[e] != 0);
    bounds_.forget_all();
  }

  /// The item of the largest index that is not taken. Only items whose bound reaches the best index
  /// found so far are asked for theirs; the one with the largest bound first.
  Item choose(std::uint64_t round, std::span<const Item> taken, Rng& rng) {
    const Better better{TieBreak(rng())};
    const double budget = paper_budget(round);
    Scored best = score(most_promising(budget, taken), budget);
    const Item first = best.item;
    for (Item e = 0; e < counts_.size(); ++e) {
      if (bounds_(e, budget) < best.score || e == first || contains(taken, e)) continue;
      const Scored candidate = score(e, budget);
      if (better(candidate, best)) best = candidate;
    }
    return best.item;
  }

  void learn(Item item, bool click, std::span<const Item> /*taken*/) {
    counts_[item].add(click);
    bounds_.forget(item);
  }

  nlohmann::ordered_json save() const { return {{"counts", counts_to_json(counts_)}}; }

  void load(const nlohmann::ordered_json& state) {
    counts_from_json(state, counts_);
    bounds_.forget_all();
  }

 private:
  static bool contains(std::span<const Item> list, Item e) {
    return std::find(list.begin(), list.end(), e) != list.end();
  }

  Item most_promising(double budget, std::span<const Item> taken) const {
    Scored best{-1, 0};
    for (Item e = 0; e < counts_.size(); ++e) {
      const double bound = bounds_(e, budget);
      if (bound > best.score && !contains(taken, e)) best = {bound, e};
    }
    return best.item;
  }

  Scored score(Item e, double budget) {
    const double index = kl_ucb(counts_[e], budget);
    bounds_.keep(e, counts_[e], index, budget);
    return {index, e};
  }

  std::vector<Counts> counts_;
  KlUcbBounds bounds_;
};

using RankedKlUcb = RankedPolicy<KlUcbBandit>;
static_assert(Policy<RankedKlUcb>);

}  // namespace dcmrank
