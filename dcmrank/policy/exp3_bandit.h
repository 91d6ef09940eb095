// Exp3 (Auer, Cesa-Bianchi, Freund and Schapire, FOCS 1995) as the bandit of one position: the
// base algorithm of RankedExp3 (Sec. 5.3).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/io/error.h"
#include "dcmrank/policy/ranked.h"

namespace dcmrank {

class Exp3Bandit {
 public:
  static constexpr bool kUsesInitialSample = false;

  explicit Exp3Bandit(const Shape& shape)
      : exploration_(exploration_rate(shape.items, shape.horizon)), weights_(shape.items, 1.0) {}

  /// g = min{1, sqrt(L ln L / ((e - 1) G))} with G = n, as Auer et al. suggest for a known horizon.
  static double exploration_rate(std::size_t items, std::uint64_t horizon) {
    const auto l = static_cast<double>(items);
    const auto g = static_cast<double>(std::max<std::uint64_t>(horizon, 1));
    return std::min(1.0, std::sqrt(l * std::log(l) / ((std::numbers::e - 1) * g)));
  }

  void observe_initial(std::span<const std::uint8_t> /*attracted*/) {}

  /// Draws from p, restricted to the items not taken.
  Item choose(std::uint64_t /*round*/, std::span<const Item> taken, Rng& rng) const {
    const double sum = total();
    double left = rng.uniform() * free_mass(taken, sum);
    Item last = 0;
    for (Item e = 0; e < weights_.size(); ++e) {
      if (std::find(taken.begin(), taken.end(), e) != taken.end()) continue;
      last = e;
      left -= probability(e, sum);
      if (left < 0) break;
    }
    return last;  // also where rounding leaves a little mass behind the last item
  }

  void learn(Item item, bool click, std::span<const Item> taken) {
    if (!click) return;  // x = 0: the factor is 1
    const double sum = total();
    const double p = probability(item, sum) / free_mass(taken, sum);
    weights_[item] *= std::exp(exploration_ / (p * static_cast<double>(weights_.size())));
    if (weights_[item] > 1e100) rescale(weights_[item]);
  }

  nlohmann::ordered_json save() const { return {{"weights", weights_}}; }

  void load(const nlohmann::ordered_json& state) {
    auto weights = numbers_from_json(state, "weights", weights_.size());
    if (std::accumulate(weights.begin(), weights.end(), 0.0) <= 0) {
      throw InputError("policy state: \"weights\" are all 0");
    }
    weights_ = std::move(weights);
  }

 private:
  double total() const { return std::accumulate(weights_.begin(), weights_.end(), 0.0); }

  // p = (1 - g) w / sum w + g / L.
  double probability(Item e, double sum) const {
    return (1 - exploration_) * weights_[e] / sum +
           exploration_ / static_cast<double>(weights_.size());
  }

  double free_mass(std::span<const Item> taken, double sum) const {
    double mass = 1;
    for (const Item e : taken) mass -= probability(e, sum);
    return std::max(mass, exploration_ / static_cast<double>(weights_.size()));
  }

  // Only ratios of weights matter; this keeps them in range.
  void rescale(double by) {
    for (double& weight : weights_) weight /= by;
  }

  double exploration_;
  std::vector<double> weights_;
};

using RankedExp3 = RankedPolicy<Exp3Bandit>;
static_assert(Policy<RankedExp3>);

}  // namespace dcmrank
