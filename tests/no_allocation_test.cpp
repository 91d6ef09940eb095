// A program of its own, since counting_new.cpp replaces operator new for everything in it.
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/registry/registry.h"
#include "dcmrank/users/dcm_users.h"

extern std::atomic<long> allocations;  // counting_new.cpp

namespace dcmrank {
namespace {

class Allocations : public testing::TestWithParam<std::string> {};

// After some rounds in which scratch memory grows to its size.
void expect_none(const std::string& policy_spec, const Dcm& dcm) {
  const DcmUsers users(dcm, 1, 0);
  AnyPolicy policy =
      make_policy(parse_policy_spec(policy_spec), {dcm.items(), dcm.positions(), 1000});
  Rng rng(1);
  Ranking ranking;
  std::vector<std::uint8_t> clicks(3);
  long ranking_allocated = 0;
  long update_allocated = 0;
  for (std::uint64_t t = 1; t <= 1000; ++t) {
    const long before = allocations;
    policy.rank(rng, ranking);
    const long between = allocations;
    users.visit(t, ranking.items, clicks);
    policy.update(ranking, clicks);
    if (t > 100) ranking_allocated += between - before;
    update_allocated += allocations - between;
  }
  EXPECT_EQ(update_allocated, 0);
  EXPECT_EQ(ranking_allocated, 0);
}

TEST_P(Allocations, AreNoneInARound) {
  expect_none(GetParam(), {{.9, .1, .5, .3, .2, .7, .4}, {.6, .2, .4}});
}

INSTANTIATE_TEST_SUITE_P(Policies, Allocations,
                         testing::Values("dcm-kl-ucb", "first-click", "last-click",
                                         "dcm-kl-ucb:counting=em", "dcm-kl-ucb-plus",
                                         "dcm-kl-ucb-plus:order=learned", "dcm-ts",
                                         "dcm-ts:order=learned", "dcm-ts:placement=cheapest",
                                         "dcm-ts:terminations=0.6,0.2,0.4", "recommended",
                                         "ranked-kl-ucb"));

class AllocationsOfMany : public testing::TestWithParam<std::string> {};

// Where drawing or scoring every item would take too long.
TEST_P(AllocationsOfMany, AreNoneInARound) {
  expect_none(GetParam(), make_dcm({500, 3, .2, .15, .5}));
}

INSTANTIATE_TEST_SUITE_P(Policies, AllocationsOfMany,
                         testing::Values("dcm-ts", "dcm-ots", "dcm-ts:placement=cheapest",
                                         "dcm-ts:counting=revised-em"));

class AllocationsOfRequests : public testing::TestWithParam<std::string> {};

// In a service: what is known comes from outside with every request.
TEST_P(AllocationsOfRequests, AreNoneAfterTheFirst) {
  AnyOpenPolicy policy = make_open_policy(parse_policy_spec(GetParam()), {4, 4, 1000});
  const std::vector<double> row(policy.item_row(), 2);
  const std::vector<double> at_position(policy.position_row(), 1);
  const std::vector<double> shared = policy.fit_shared(std::vector<std::span<const double>>{row});
  Rng rng(1);
  Ranking ranking;
  long after_the_first = 0;
  for (int n = 0; n < 100; ++n) {
    const long before = allocations;
    policy.open(20);
    policy.put_shared(shared);
    for (Item e = 0; e < 15; ++e) policy.put_item(e, row);
    for (Item e = 10; e < 18; ++e) policy.add_prior(e, {3, 1});
    for (std::size_t k = 0; k < 4; ++k) policy.put_position(k, at_position);
    policy.rank(rng, ranking);
    for (const Item e : ranking.items) EXPECT_GT(policy.estimate(e), 0);
    if (n > 0) after_the_first += allocations - before;
  }
  EXPECT_EQ(after_the_first, 0);
}

INSTANTIATE_TEST_SUITE_P(Policies, AllocationsOfRequests,
                         testing::Values("dcm-kl-ucb", "dcm-ts", "dcm-ts:counting=revised-em",
                                         "ubm-ts"));

TEST(Allocation, IsSeenByThisProgram) {
  const long before = allocations;
  const std::vector<int> memory(1000);
  EXPECT_GT(allocations, before);
}

}  // namespace
}  // namespace dcmrank
