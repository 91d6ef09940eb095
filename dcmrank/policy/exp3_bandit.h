// Exp3 (Auer, Cesa-Bianchi, Freund and Schapire, FOCS 1995) as the bandit of one position: the
// base algorithm of RankedExp3 (Sec. 5.3).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/numeric/elementary.h"
#include "dcmrank/policy/ranked.h"
#include "dcmrank/select/sum_tree.h"

namespace dcmrank {

class Exp3Bandit {
 public:
  using Open = Exp3Bandit;
  static constexpr const char* kFamily = "ranked-exp3";
  static constexpr bool kUsesInitialSample = false;

  explicit Exp3Bandit(const Shape& shape)
      : horizon_(shape.horizon),
        exploration_(exploration_rate(shape.items, shape.horizon)),
        weights_(shape.items, 1.0) {}

  /// g = min{1, sqrt(L ln L / ((e - 1) G))} with G = n, as Auer et al. suggest for a known horizon.
  static double exploration_rate(std::size_t items, std::uint64_t horizon) {
    const auto l = static_cast<double>(items);
    const auto g = static_cast<double>(std::max<std::uint64_t>(horizon, 1));
    return std::min(1.0, std::sqrt(l * same_log(l) / ((std::numbers::e - 1) * g)));
  }

  void observe_initial(std::span<const std::uint8_t> /*attracted*/) {}

  /// Draws from p, restricted to the items not taken: by inversion, down the tree of the sums of
  /// weights. O((1 + taken) log L).
  Item choose(std::uint64_t /*round*/, std::span<const Item> taken, Rng& rng) const {
    double left = rng.uniform() * free_mass(taken);
    std::size_t node = 1;
    std::size_t first = 0;  // of the items below the node
    for (std::size_t width = weights_.leaves() / 2; width > 0; width /= 2) {
      const Free here = free_below(2 * node, first, width, taken);
      const bool only_here = free_below(2 * node + 1, first + width, width, taken).items == 0;
      node *= 2;
      if (only_here || (here.items > 0 && left < here.mass)) continue;
      left -= here.mass;
      first += width;
      ++node;
    }
    return static_cast<Item>(first);
  }

  /// What a click adds to the logarithm of the item's weight: g / (p L), which is at most 1.
  double gain(Item item, std::span<const Item> taken) const {
    const double p = probability(item) / free_mass(taken);
    return exploration_ / (p * static_cast<double>(weights_.size()));
  }

  void learn_gain(Item item, double gain) {
    const double weight = weights_[item] * same_exp(gain);
    weights_.set(item, weight);
    if (weight > 1e100) weights_.divide(weight);  // only ratios matter; this keeps them in range
  }

  // Over an open set of items a row is the logarithm of the weight, which is a sum of gains.
  static constexpr std::size_t kRow = 1;

  void open(std::size_t items) {
    exploration_ = exploration_rate(items, horizon_);
    weights_ = SumTree(items, 1.0);
  }
  /// Clamped, so that exp() and products with it stay well within the range of a double.
  void put(Item e, std::span<const double> row) {
    weights_.set(e, same_exp(std::clamp(row[0], 0.0, 200.0)));
  }
  void get(Item e, std::span<double> row) const { row[0] = same_log(weights_[e]); }
  void add_prior(Item /*item*/, const Counts& /*prior*/) {}  // it keeps no counts
  double score(Item e, std::uint64_t /*round*/) const { return probability(e); }
  static Counts counts_in(std::span<const double> /*row*/) { return {}; }
  static std::string_view fault(std::span<const double> row, double pages) {
    if (row[0] < 0) return "gains are below 0";
    return row[0] > pages ? "gains are above rounds" : "";
  }

  nlohmann::ordered_json save() const { return {{"weights", weights_.values()}}; }

  void load(const nlohmann::ordered_json& state) {
    auto weights = fields::numbers(state, "weights", fields::kAtLeastZero, weights_.size());
    if (std::accumulate(weights.begin(), weights.end(), 0.0) <= 0) {
      throw InputError("\"weights\" are all 0");
    }
    weights_ = SumTree(std::move(weights));
  }

 private:
  // Items below a node of the tree that are not taken, and their probability.
  struct Free {
    std::size_t items;
    double mass;
  };

  Free free_below(std::size_t node, std::size_t first, std::size_t width,
                  std::span<const Item> taken) const {
    const std::size_t last = std::min(first + width, weights_.size());
    Free free{first < last ? last - first : 0, 0};
    free.mass = share() * weights_.sum(node) + uniform() * static_cast<double>(free.items);
    for (const Item e : taken) {
      if (e < first || e >= last) continue;
      --free.items;
      free.mass -= probability(e);
    }
    return free;
  }

  // p = (1 - g) w / sum w + g / L.
  double probability(Item e) const { return share() * weights_[e] + uniform(); }
  double share() const { return (1 - exploration_) / weights_.sum(1); }
  double uniform() const { return exploration_ / static_cast<double>(weights_.size()); }

  double free_mass(std::span<const Item> taken) const {
    double mass = 1;
    for (const Item e : taken) mass -= probability(e);
    return std::max(mass, uniform());
  }

  std::uint64_t horizon_;
  double exploration_;
  SumTree weights_;
};

using RankedExp3 = RankedPolicy<Exp3Bandit>;

}  // namespace dcmrank
