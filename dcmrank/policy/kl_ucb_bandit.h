// KL-UCB (Garivier and Cappe, COLT 2011) as the bandit of one position: the base algorithm of
// RankedKL-UCB (Sec. 5.2), with the same index and budget as dcmKL-UCB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/index/kl_ucb_index.h"
#include "dcmrank/policy/placement.h"
#include "dcmrank/policy/ranked.h"
#include "dcmrank/select/kl_ucb_selection.h"

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
    const std::uint64_t key = rng();
    index_.begin_round(round, 0);
    if (open_) return best_candidate(taken);
    TieDraws ties(key);
    Item best = 0;
    selection_.select(index_, counts_, taken, ties, std::span(&best, 1));
    return best;
  }

  void learn(Item item, bool click, std::span<const Item> /*taken*/) {
    counts_[item].add(click);
    if (!open_) selection_.forget(std::span(&item, 1), counts_);
  }

  static constexpr std::size_t kRow = 2;

  void open(std::size_t items) {
    open_ = true;
    counts_.assign(items, {});
  }
  void put(Item e, std::span<const double> row) { counts_[e] = counts_in(row); }
  void get(Item e, std::span<double> row) const {
    row[0] = counts_[e].observed;
    row[1] = counts_[e].attracted;
  }
  void add_prior(Item e, const Counts& prior) { counts_[e].merge(prior); }
  double score(Item e, std::uint64_t round) const {
    return kl_ucb(counts_[e], paper_budget(round));
  }
  static Counts counts_in(std::span<const double> row) {
    const double attracted = std::max(0.0, row[1]);
    return {std::max(row[0], attracted), attracted};
  }

  nlohmann::ordered_json save() const { return {{"counts", counts_to_json(counts_)}}; }

  void load(const nlohmann::ordered_json& state) {
    counts_from_json(state, counts_);
    selection_.forget_all();
  }

 private:
  // Of the candidates of one request, which come and go: the first with the largest index.
  Item best_candidate(std::span<const Item> taken) const {
    Scored best{-1, 0};
    for (Item e = 0; e < counts_.size(); ++e) {
      if (std::find(taken.begin(), taken.end(), e) != taken.end()) continue;
      const double index = index_(e, counts_[e]);
      if (index > best.score) best = {index, e};
    }
    return best.item;
  }

  bool open_ = false;
  std::vector<Counts> counts_;
  KlUcbIndex index_;
  KlUcbSelection selection_;
};

using RankedKlUcb = RankedPolicy<KlUcbBandit>;
static_assert(OpenPolicy<RankedKlUcb>);

}  // namespace dcmrank
