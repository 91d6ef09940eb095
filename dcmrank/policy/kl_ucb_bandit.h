// KL-UCB (Garivier and Cappe, COLT 2011) as the bandit of one position: the base algorithm of
// RankedKL-UCB (Sec. 5.2), with the same index and budget as dcmKL-UCB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/index/kl_ucb_index.h"
#include "dcmrank/policy/ranked.h"
#include "dcmrank/select/best_items.h"
#include "dcmrank/select/scored.h"

namespace dcmrank {

/// Over items that come and go (open_policy.h): of the candidates, the first with the largest
/// index.
class OpenKlUcbBandit {
 public:
  explicit OpenKlUcbBandit(const Shape& shape) : counts_(shape.items) {}

  Item choose(std::uint64_t round, std::span<const Item> taken, Rng& rng) {
    rng();
    index_.begin_round(round, 0);
    Scored best{-1, 0};
    for (Item e = 0; e < counts_.size(); ++e) {
      if (std::find(taken.begin(), taken.end(), e) != taken.end()) continue;
      const double index = index_(e, counts_[e]);
      if (index > best.score) best = {index, e};
    }
    return best.item;
  }

  void learn(Item item, bool click) { counts_[item].add(click); }

  static constexpr const char* kFamily = "ranked-kl-ucb";
  static constexpr std::size_t kRow = 2;
  static Counts counts_in(std::span<const double> row) {
    const double attracted = std::max(0.0, row[1]);
    return {std::max(row[0], attracted), attracted};
  }

  static std::string_view fault(std::span<const double> row, double pages) {
    return count_fault(row[0], row[1], pages);
  }

  void open(std::size_t items) { counts_.assign(items, {}); }
  void put(Item e, std::span<const double> row) { counts_[e] = counts_in(row); }
  void get(Item e, std::span<double> row) const {
    row[0] = counts_[e].observed;
    row[1] = counts_[e].attracted;
  }
  void add_prior(Item e, const Counts& prior) { counts_[e].merge(prior); }
  double score(Item e, std::uint64_t round) const {
    return kl_ucb(counts_[e], paper_budget(round));
  }

 private:
  std::vector<Counts> counts_;
  KlUcbIndex index_;
};

class KlUcbBandit {
 public:
  using Open = OpenKlUcbBandit;
  static constexpr bool kUsesInitialSample = true;

  explicit KlUcbBandit(const Shape& shape)
      : counts_(shape.items), selection_(shape.items, shape.positions) {}

  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (Item e = 0; e < counts_.size(); ++e) counts_[e].add(attracted[e] != 0);
    selection_.start_over();
  }

  /// The item of the largest index that is not taken.
  Item choose(std::uint64_t round, std::span<const Item> taken, Rng& rng) {
    const std::uint64_t key = rng();
    index_.begin_round(round, 0);
    Item best = 0;
    selection_.select(index_, key, counts_, taken, std::span(&best, 1));
    return best;
  }

  void learn(Item item, bool click) {
    counts_[item].add(click);
    selection_.changed(std::span(&item, 1), counts_);
  }

  nlohmann::ordered_json save() const { return {{"counts", counts_to_json(counts_)}}; }

  void load(const nlohmann::ordered_json& state) {
    counts_from_json(state, counts_);
    selection_.start_over();
  }

 private:
  std::vector<Counts> counts_;
  KlUcbIndex index_;
  BestItems<KlUcbIndex> selection_;
};

using RankedKlUcb = RankedPolicy<KlUcbBandit>;

}  // namespace dcmrank
