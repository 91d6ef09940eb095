#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dcmrank/registry/any_policy.h"

namespace dcmrank {

/// A policy that somebody else wrote: each of its lists is checked before a user sees it. Throws
/// InputError, naming the policy and the round, for a list that is not K different items.
class CheckedPolicy {
 public:
  CheckedPolicy(AnyPolicy policy, std::string name, const Shape& shape);

  void rank(Rng& rng, Ranking& ranking) {
    policy_.rank(rng, ranking);
    ++round_;
    if (!is_valid(ranking.items)) refuse(ranking.items);
  }
  void update(const Ranking& shown, Clicks clicks) { policy_.update(shown, clicks); }

  bool wants_initial_sample() const { return policy_.wants_initial_sample(); }
  void observe_initial(std::span<const std::uint8_t> sample) { policy_.observe_initial(sample); }

 private:
  bool is_valid(std::span<const Item> list);
  [[noreturn]] void refuse(std::span<const Item> list) const;

  AnyPolicy policy_;
  std::string name_;
  std::size_t positions_;
  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> last_round_;  // in which each item was listed; 0: in none
};

}  // namespace dcmrank
