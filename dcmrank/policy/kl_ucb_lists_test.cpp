// Every policy of the KL-UCB family, under every counting, with late feedback and across save and
// load: its lists are those of the plain selection from the counts that it saves.
#include <algorithm>
#include <cctype>
#include <deque>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/index/kl_ucb_index.h"
#include "dcmrank/policy/state.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/select/plain_list_test.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank {
namespace {

constexpr int kListRounds = effort(2000, 100);
constexpr std::size_t kDelay = 3;

std::vector<Counts> saved_counts(const nlohmann::ordered_json& state, std::size_t items) {
  std::vector<Counts> counts(items);
  counts_from_json(state, counts);
  return counts;
}

template <class I>
std::vector<Item> plain_list(I index, const nlohmann::ordered_json& state, const Shape& shape,
                             Rng rng) {
  index.begin_round(round_from_json(state), 0);
  return plain_list_of(index, saved_counts(state, shape.items), {}, rng(), shape.positions);
}

// One bandit a position, each with a key of its own, of the items that are not above.
std::vector<Item> plain_ranked_list(const nlohmann::ordered_json& state, const Shape& shape,
                                    Rng rng) {
  KlUcbIndex index;
  index.begin_round(round_from_json(state), 0);
  std::vector<Item> list;
  for (const auto& position : state.at("positions")) {
    const auto best = plain_list_of(index, saved_counts(position, shape.items), list, rng(), 1);
    list.push_back(best[0]);
  }
  return list;
}

std::vector<Item> expected_list(const std::string& spec, const nlohmann::ordered_json& state,
                                const Shape& shape, const Rng& rng) {
  if (spec.starts_with("ranked")) return plain_ranked_list(state, shape, rng);
  if (spec.starts_with("dcm-kl-ucb-plus")) return plain_list(KlUcbPlusIndex(), state, shape, rng);
  const bool log = spec.find("budget=log") != std::string::npos;
  return plain_list(KlUcbIndex(log ? Budget::kLog : Budget::kPaper), state, shape, rng);
}

Dcm problem(std::size_t items, Rng rng) {
  Dcm dcm{{}, {.5, .3, .6}};
  for (std::size_t e = 0; e < items; ++e) dcm.attraction.push_back(e % 3 == 0 ? .4 : .1);
  dcm.attraction[1] = rng.uniform();
  return dcm;
}

// Few items: all bounds are looked at. Many: the tournament (KlUcbSelection::kMostFlat).
void follow(const std::string& spec, std::size_t items, int rounds) {
  Rng rng(1);
  const Dcm dcm = problem(items, rng);
  const Shape shape{items, 3, 1000};
  const DcmUsers users(dcm, 1, 0);
  AnyPolicy policy = make_policy(parse_policy_spec(spec), shape);
  std::vector<std::uint8_t> sample(items);
  users.initial_sample(sample);
  policy.observe_initial(sample);
  std::deque<Ranking> shown;
  std::vector<std::uint8_t> clicks(shape.positions);
  for (int n = 1; n <= rounds; ++n) {
    const auto state = policy.save();
    const auto expected = expected_list(spec, state, shape, rng);
    Ranking ranking;
    policy.rank(rng, ranking);
    ASSERT_EQ(ranking.items, expected) << spec << " in round " << n;
    shown.push_back(ranking);
    if (shown.size() <= kDelay) continue;
    users.visit(static_cast<std::uint64_t>(n), shown.front().items, clicks);
    policy.update(shown.front(), clicks);
    shown.pop_front();
    if (n % 500 == 0) policy.load(policy.save());
  }
}

class KlUcbLists : public testing::TestWithParam<std::string> {};

TEST_P(KlUcbLists, AreThePlainOnesOfFewItems) { follow(GetParam(), 12, kListRounds); }
TEST_P(KlUcbLists, AreThePlainOnesOfManyItems) { follow(GetParam(), 450, kListRounds / 10); }

std::vector<std::string> family() {
  std::vector<std::string> specs{"first-click", "last-click", "ranked-kl-ucb"};
  for (const char* counting : {"prefix", "first-click", "last-click", "em", "revised-em"}) {
    for (const char* policy : {"dcm-kl-ucb:", "dcm-kl-ucb:budget=log,", "dcm-kl-ucb-plus:"}) {
      specs.push_back(std::string(policy) + "counting=" + counting);
    }
  }
  return specs;
}

INSTANTIATE_TEST_SUITE_P(Family, KlUcbLists, testing::ValuesIn(family()), [](const auto& test) {
  std::string name = test.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace dcmrank
