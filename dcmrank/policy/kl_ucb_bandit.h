// KL-UCB (Garivier and Cappe, COLT 2011) as the bandit of one position: the base algorithm of
// RankedKL-UCB (Sec. 5.2), with the same index and budget as dcmKL-UCB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/policy/placement.h"
#include "dcmrank/policy/ranked.h"

namespace dcmrank {

class KlUcbBandit {
 public:
  static constexpr bool kUsesInitialSample = true;

  explicit KlUcbBandit(const Shape& shape) : counts_(shape.items) {}

  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (Item e = 0; e < counts_.size(); ++e) counts_[e].add(attracted[e] != 0);
  }

  Item choose(std::uint64_t round, std::span<const Item> taken, Rng& rng) {
    const Better better{TieBreak(rng())};
    const double budget = paper_budget(round);
    Scored best{-1, 0};
    for (Item e = 0; e < counts_.size(); ++e) {
      if (std::find(taken.begin(), taken.end(), e) != taken.end()) continue;
      const Scored candidate{kl_ucb(counts_[e], budget), e};
      if (better(candidate, best)) best = candidate;
    }
    return best.item;
  }

  void learn(Item item, bool click, std::span<const Item> /*taken*/) { counts_[item].add(click); }

  nlohmann::ordered_json save() const { return {{"counts", counts_to_json(counts_)}}; }
  void load(const nlohmann::ordered_json& state) { counts_from_json(state, counts_); }

 private:
  std::vector<Counts> counts_;
};

using RankedKlUcb = RankedPolicy<KlUcbBandit>;
static_assert(Policy<RankedKlUcb>);

}  // namespace dcmrank
