#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dcmrank/policy/policy.h"
#include "dcmrank/users/users.h"

namespace dcmrank {

/// One simulated run: the only loop in which a policy meets users. Regret is the conditional
/// expectation f(A*, w, v) - f(A_t, w, v), which has the mean of the sampled regret and far less
/// noise; the sampled reward is summed beside it. Can be advanced in pieces. With a delay of D,
/// what the user of step t did reaches the policy after step t + D (D = 0: at once).
template <Policy P, Users U>
class Simulation {
 public:
  Simulation(P policy, U users, [[maybe_unused]] const Shape& shape, Rng rng, std::size_t delay = 0)
      : policy_(std::move(policy)),
        users_(std::move(users)),
        rng_(rng),
        best_(users_.best_expected_reward()),
        pages_(delay + 1) {
    if constexpr (TakesInitialSample<P>) {
      if (!policy_.wants_initial_sample()) return;
      std::vector<std::uint8_t> sample(shape.items);
      users_.initial_sample(sample);
      policy_.observe_initial(sample);
    }
  }

  /// Continues a run that has come to `step` and whose policy this is. Pages whose clicks were late
  /// then are lost.
  void resume(std::uint64_t step, double regret, double reward) {
    step_ = step;
    regret_ = regret;
    reward_ = reward;
  }

  /// Simulates the steps after step() up to and including `last`.
  void advance(std::uint64_t last) {
    while (step_ < last) {
      ++step_;
      Page& page = pages_[at_];
      policy_.rank(rng_, page.ranking);
      const std::span<const Item> list = page.ranking.items;
      const std::size_t depth = std::min(users_.depth(step_), list.size());
      if (page.clicks.size() != depth) page.clicks.resize(depth);
      reward_ += static_cast<double>(users_.visit(step_, list, page.clicks));
      regret_ += best_ - users_.expected_reward(list);
      last_ = at_;
      at_ = at_ + 1 < pages_.size() ? at_ + 1 : 0;
      if (step_ >= pages_.size()) policy_.update(pages_[at_].ranking, pages_[at_].clicks);
    }
  }

  std::uint64_t step() const { return step_; }
  double regret() const { return regret_; }
  double reward() const { return reward_; }
  const Ranking& last_ranking() const { return pages_[last_].ranking; }
  P& policy() { return policy_; }

 private:
  // A list that was shown and what its user did.
  struct Page {
    Ranking ranking;
    std::vector<std::uint8_t> clicks;
  };

  P policy_;
  U users_;
  Rng rng_;
  double best_;
  std::vector<Page> pages_;  // of the last delay + 1 steps, in a ring
  std::size_t at_ = 0;       // the next step's page, which is the oldest
  std::size_t last_ = 0;
  std::uint64_t step_ = 0;
  double reward_ = 0;
  double regret_ = 0;
};

}  // namespace dcmrank
