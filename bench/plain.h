// The plain textbook dcmKL-UCB against which speed is measured: every index by bisection to 1e-6 in
// every round, then a partial sort with random ties.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/policy/policy.h"
#include "dcmrank/policy/state.h"

namespace dcmrank::bench {

inline double plain_kl(double p, double q) {
  const double first = p > 0 ? p * std::log(p / q) : 0;
  return first + (p < 1 ? (1 - p) * std::log((1 - p) / (1 - q)) : 0);
}

inline double plain_kl_ucb(const Counts& counts, double budget) {
  const double mean = counts.attracted / counts.observed;
  double low = mean;
  double high = 1;
  while (high - low > 1e-6) {
    const double q = (low + high) / 2;
    (counts.observed * plain_kl(mean, q) <= budget ? low : high) = q;
  }
  return low;
}

class PlainDcmKlUcb {
 public:
  PlainDcmKlUcb(std::size_t items, std::size_t positions)
      : positions_(positions), counts_(items), scored_(items) {}

  bool wants_initial_sample() const { return true; }
  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (std::size_t e = 0; e < counts_.size(); ++e) counts_[e].add(attracted[e] != 0);
  }

  void rank(Rng& rng, Ranking& ranking) {
    const double log_t = std::log(static_cast<double>(round_));
    const double budget = round_ < 2 ? 0 : std::max(0.0, log_t + 3 * std::log(log_t));
    for (std::size_t e = 0; e < counts_.size(); ++e) {
      scored_[e] = {plain_kl_ucb(counts_[e], budget), rng(), static_cast<Item>(e)};
    }
    const auto end = scored_.begin() + static_cast<std::ptrdiff_t>(positions_);
    std::partial_sort(scored_.begin(), end, scored_.end(), [](const auto& a, const auto& b) {
      return a.score != b.score ? a.score > b.score : a.tie > b.tie;
    });
    ranking.items.resize(positions_);
    for (std::size_t k = 0; k < positions_; ++k) ranking.items[k] = scored_[k].item;
  }

  void update(const Ranking& shown, Clicks clicks) {
    for (std::size_t k = 0; k < observed_prefix(clicks); ++k) {
      counts_[shown.items[k]].add(clicks[k] != 0);
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
  struct Entry {
    double score;
    std::uint64_t tie;
    Item item;
  };
  std::size_t positions_;
  std::uint64_t round_ = 1;
  std::vector<Counts> counts_;
  std::vector<Entry> scored_;
};

static_assert(Policy<PlainDcmKlUcb>);

}  // namespace dcmrank::bench
