// What the tests of whole policies share.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/json.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank {

/// A policy that acts on its own: ranks, meets the users of a problem, learns what they did some
/// steps later.
class ActingPolicy {
 public:
  ActingPolicy(const Dcm& problem, const Shape& shape, const std::string& spec, std::uint64_t seed,
               std::size_t delay = 0)
      : shape_(shape),
        spec_(parse_policy_spec(spec)),
        policy_(make_policy(spec_, shape)),
        users_(problem, seed, 0),
        rng_(seed),
        delay_(delay) {
    std::vector<std::uint8_t> sample(shape.items);
    users_.initial_sample(sample);
    if (policy_.wants_initial_sample()) policy_.observe_initial(sample);
  }

  Ranking rank() {
    Ranking ranking;
    policy_.rank(rng_, ranking);
    return ranking;
  }

  void learn(const Ranking& ranking) {
    std::vector<std::uint8_t> clicks(shape_.positions);
    users_.visit(++step_, ranking.items, clicks);
    policy_.update(ranking, clicks);
  }

  std::vector<Ranking> act(int steps) {
    const std::size_t before = shown_.size();
    for (int i = 0; i < steps; ++i) {
      shown_.push_back(rank());
      if (shown_.size() > delay_) learn(shown_[shown_.size() - 1 - delay_]);
    }
    return {shown_.begin() + static_cast<std::ptrdiff_t>(before), shown_.end()};
  }

  std::string state() const { return print_json(saved()); }
  nlohmann::ordered_json saved() const { return save_policy(spec_, shape_, policy_); }
  void replace_policy(AnyPolicy policy) { policy_ = std::move(policy); }

 private:
  Shape shape_;
  PolicySpec spec_;
  AnyPolicy policy_;
  DcmUsers users_;
  Rng rng_;
  std::size_t delay_;
  std::vector<Ranking> shown_;
  std::uint64_t step_ = 0;
};

/// Distinct items of the problem, at every position.
inline void expect_valid(const std::vector<Ranking>& rankings, const Shape& shape) {
  for (const Ranking& ranking : rankings) {
    ASSERT_EQ(ranking.items.size(), shape.positions);
    const std::set<Item> distinct(ranking.items.begin(), ranking.items.end());
    ASSERT_EQ(distinct.size(), shape.positions);
    ASSERT_LT(*distinct.rbegin(), shape.items);
  }
}

/// The name of a test that runs on a policy, as GoogleTest accepts it.
inline std::string test_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace dcmrank
