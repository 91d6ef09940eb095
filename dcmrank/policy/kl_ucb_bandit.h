// KL-UCB (Garivier and Cappe, COLT 2011) as the bandit of one position: the base algorithm of
// RankedKL-UCB (Sec. 5.2), with the same index and budget as dcmKL-UCB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/index/kl_ucb_index.h"
#include "dcmrank/policy/kl_ucb_selection.h"
#include "dcmrank/policy/ranked.h"

namespace dcmrank {

class KlUcbBandit {
 public:
  static constexpr bool kUsesInitialSample = true;

  explicit KlUcbBandit(const Shape& shape) : counts_(shape.items), selection_(shape.items) {}

  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (Item e = 0; e < counts_.size(); ++e) counts_[e].add(attracted[e] != 0);
    selection_.forget_all();
  }

  /// The item of the largest index that is not taken.
  Item choose(std::uint64_t round, std::span<const Item> taken, Rng& rng) {
    TieDraws ties(rng());
    index_.begin_round(round, 0);
    Item best = 0;
    selection_.select(index_, counts_, taken, ties, std::span(&best, 1));
    return best;
  }

  void learn(Item item, bool click, std::span<const Item> /*taken*/) {
    counts_[item].add(click);
    selection_.forget(item, counts_[item]);
  }

  nlohmann::ordered_json save() const { return {{"counts", counts_to_json(counts_)}}; }

  void load(const nlohmann::ordered_json& state) {
    counts_from_json(state, counts_);
    selection_.forget_all();
  }

 private:
  std::vector<Counts> counts_;
  KlUcbIndex index_;
  KlUcbSelection selection_;
};

using RankedKlUcb = RankedPolicy<KlUcbBandit>;
static_assert(Policy<RankedKlUcb>);

}  // namespace dcmrank
