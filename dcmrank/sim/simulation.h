#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dcmrank/policy/policy.h"

namespace dcmrank {

/// Whom a simulation shows its lists to. `visit` fills the clicks and returns the reward, which
/// stays here: the policy is given the clicks alone.
template <class U>
concept Users = requires(const U& users, std::uint64_t t, std::span<const Item> list,
                         std::span<std::uint8_t> clicks) {
  { users.visit(t, list, clicks) } -> std::same_as<bool>;
  { users.initial_sample(clicks) } -> std::same_as<void>;
  { users.expected_reward(list) } -> std::same_as<double>;
  { users.best_expected_reward() } -> std::same_as<double>;
};

/// One simulated run: the only loop in which a policy meets users. Regret is the conditional
/// expectation f(A*, w, v) - f(A_t, w, v), which has the mean of the sampled regret and far less
/// noise; the sampled reward is summed beside it. Can be advanced in pieces.
template <Policy P, Users U>
class Simulation {
 public:
  Simulation(P policy, U users, const Shape& shape, Rng rng)
      : policy_(std::move(policy)),
        users_(std::move(users)),
        rng_(rng),
        best_(users_.best_expected_reward()),
        clicks_(shape.positions) {
    if (policy_.wants_initial_sample()) {
      std::vector<std::uint8_t> sample(shape.items);
      users_.initial_sample(sample);
      policy_.observe_initial(sample);
    }
  }

  /// Simulates the steps after step() up to and including `last`.
  void advance(std::uint64_t last) {
    while (step_ < last) {
      ++step_;
      policy_.rank(rng_, ranking_);
      reward_ += users_.visit(step_, ranking_.items, clicks_) ? 1 : 0;
      regret_ += best_ - users_.expected_reward(ranking_.items);
      policy_.update(ranking_, clicks_);
    }
  }

  std::uint64_t step() const { return step_; }
  double regret() const { return regret_; }
  std::uint64_t reward() const { return reward_; }
  const Ranking& last_ranking() const { return ranking_; }
  P& policy() { return policy_; }

 private:
  P policy_;
  U users_;
  Rng rng_;
  double best_;
  Ranking ranking_;
  std::vector<std::uint8_t> clicks_;
  std::uint64_t step_ = 0;
  std::uint64_t reward_ = 0;
  double regret_ = 0;
};

}  // namespace dcmrank
