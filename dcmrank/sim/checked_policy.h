#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "dcmrank/model/list_check.h"
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
    if (!check_.is_valid(ranking.items)) refuse(ranking.items);
  }
  void update(const Ranking& shown, Clicks clicks) { policy_.update(shown, clicks); }

  bool wants_initial_sample() const { return policy_.wants_initial_sample(); }
  void observe_initial(std::span<const std::uint8_t> sample) { policy_.observe_initial(sample); }

  AnyPolicy release() && { return std::move(policy_); }

 private:
  [[noreturn]] void refuse(std::span<const Item> list) const;

  AnyPolicy policy_;
  std::string name_;
  ListCheck check_;
  std::uint64_t round_ = 0;
};

}  // namespace dcmrank
