#include "dcmrank/users/model_users.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/users/best_list.h"
#include "dcmrank/users/model_problem.h"

namespace dcmrank {
namespace {

Problem problem(const std::string& json) { return parse_problem(json, "p.json"); }

std::string users_refusal(const std::string& json) {
  try {
    problem(json);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string kPbm =
    R"({"model":"pbm","attraction":[0.2,0.9,0.5,0.6],"examination":[0.3,0.9,0.6]})";
const std::string kCascade = R"({"model":"cascade","attraction":[0.2,0.9,0.5],"positions":2})";
const std::string kSdbn =
    R"({"model":"sdbn","attraction":[0.8,0.7,0.6,0.3],"satisfaction":[0.1,0.3,0.9,0.8],"positions":2})";

// The clicks of many users of a list, by position, per user.
std::vector<double> click_rates(const AnyUsers& users, const std::vector<Item>& list, int visits,
                                double& reward) {
  std::vector<double> rates(list.size());
  std::vector<std::uint8_t> clicks(list.size());
  reward = 0;
  for (int t = 1; t <= visits; ++t) {
    reward += users.visit(static_cast<std::uint64_t>(t), list, clicks) / visits;
    for (std::size_t k = 0; k < clicks.size(); ++k) rates[k] += clicks[k] / double(visits);
  }
  return rates;
}

TEST(ModelUsers, ClickAsOftenAsTheirModelSays) {
  constexpr int kVisits = 40000;
  const double error = 4 * std::sqrt(.25 / kVisits);
  double reward = 0;
  const AnyUsers pbm = problem(kPbm).users(1, 0);
  const auto rates = click_rates(pbm, {1, 3, 0}, kVisits, reward);
  EXPECT_NEAR(rates[0], .9 * .3, error);
  EXPECT_NEAR(rates[1], .6 * .9, error);
  EXPECT_NEAR(rates[2], .2 * .6, error);
  EXPECT_NEAR(reward, pbm.expected_reward(std::vector<Item>{1, 3, 0}), 3 * error);
  const AnyUsers cascade = problem(kCascade).users(1, 0);
  const auto first = click_rates(cascade, {2, 1}, kVisits, reward);
  EXPECT_NEAR(first[0], .5, error);
  EXPECT_NEAR(first[1], .5 * .9, error);
  EXPECT_NEAR(cascade.expected_reward(std::vector<Item>{2, 1}), 1 - .5 * .1, 1e-12);
}

TEST(ModelUsers, AreTheSameForEveryPolicyAndOthersInAnotherRun) {
  const Problem pbm = problem(kPbm);
  const std::vector<Item> list{1, 3, 0};
  std::vector<std::uint8_t> clicks(3);
  const auto all = [&](std::uint64_t run) {
    std::vector<std::uint8_t> seen;
    const AnyUsers users = pbm.users(7, run);
    for (std::uint64_t t = 1; t <= 200; ++t) {
      users.visit(t, list, clicks);
      seen.insert(seen.end(), clicks.begin(), clicks.end());
    }
    return seen;
  };
  EXPECT_EQ(all(0), all(0));
  EXPECT_NE(all(0), all(1));
}

// The best of all lists, one by one.
double best_of_all(const AnyUsers& users, std::size_t items, std::size_t positions) {
  std::vector<Item> order(items);
  for (Item e = 0; e < items; ++e) order[e] = e;
  double best = 0;
  do best = std::max(best, users.expected_reward(std::span(order).first(positions)));
  while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(ModelUsers, AreMeasuredAgainstTheBestList) {
  for (const std::string& json : {kPbm, kCascade, kSdbn}) {
    const Problem p = problem(json);
    const AnyUsers users = p.users(1, 0);
    EXPECT_NEAR(users.best_expected_reward(), best_of_all(users, p.items(), p.positions()), 1e-12)
        << json;
  }
}

TEST(ModelUsers, OfASatisfactionModelAreRewardedByIt) {
  const AnyUsers users = problem(kSdbn).users(1, 0);
  EXPECT_NEAR(users.expected_reward(std::vector<Item>{2, 0}), 1 - (1 - .6 * .9) * (1 - .8 * .1),
              1e-12);
}

TEST(ModelProblem, IsWrittenAsItIsRead) {
  for (const std::string& json : {kPbm, kCascade, kSdbn}) {
    const Problem once = problem(json);
    const std::string written = problem_to_json(once).dump();
    const Problem again = problem(written);
    EXPECT_EQ(problem_to_json(again).dump(), written);
    EXPECT_EQ(again.items(), once.items());
    EXPECT_EQ(again.positions(), once.positions());
  }
}

TEST(ModelProblem, SaysForWhichPositionsAListHasTooFewEntriesWhereItHasAny) {
  const std::string ccm =
      R"({"model":"ccm","attraction":[0.5,0.4,0.3],"satisfaction":[0.1,0.2,0.3],)"
      R"("alpha":[0,1],"positions":3})";
  const std::string said = users_refusal(ccm);
  EXPECT_NE(said.find("\"alpha\" has 2 entries, not 3"), std::string::npos) << said;
  EXPECT_EQ(said.find("position"), std::string::npos) << said;
  const std::string of_positions = users_refusal(
      R"({"model":"pbm","attraction":[0.5,0.4,0.3],"examination":[0.5,0.5],"positions":3})");
  EXPECT_NE(of_positions.find("not 3 for 3 positions"), std::string::npos) << of_positions;
}

TEST(ModelProblem, NamesWhatIsWrongWithAFile) {
  const auto says = [](const std::string& json, const char* words) {
    EXPECT_NE(users_refusal(json).find(words), std::string::npos) << users_refusal(json);
  };
  says(R"({"model":"pbn","attraction":[0.5,0.5],"examination":[1]})", "did you mean 'pbm'");
  says(R"({"model":4,"attraction":[0.5,0.5],"termination":[1]})", "\"model\" is '4'");
  says(R"({"model":"pbm","attraction":[0.5,1.5],"examination":[1]})", "attraction[1] is '1.5'");
  says(R"({"model":"pbm","attraction":[0.5,0.5]})", "\"examination\" is missing");
  says(R"({"model":"pbm","attraction":[0.5,0.5],"examination":[]})", "0 positions for 2 items");
  says(R"({"model":"pbm","attraction":[0.5,0.5],"examination":[1,1,1]})", "3 positions for 2");
  says(R"({"model":"pbm","attraction":[0.5,0.5],"examination":[1],"positions":2})",
       "\"examination\" has 1 entry, not 2 for 2 positions");
  says(R"({"model":"cascade","attraction":[0.5,0.5]})", "\"positions\" is missing");
  says(R"({"model":"cascade","attraction":[0.5],"positions":1})", "not 2 to");
  says(R"({"model":"sdbn","attraction":[0.5,0.5],"satisfaction":[1],"positions":1})",
       "\"satisfaction\" has 1 entry for 2 items");
}

TEST(ModelProblem, OfAFittedQueryHasItsParameters) {
  FittedModel fitted;
  fitted.model = "pbm";
  fitted.positions = 3;
  fitted.lists["examination"].values = {.9, .5, .1};
  fitted.queries.push_back({"q", 10, {}, {}});
  for (const double w : {.2, .8}) {
    FittedItem item;
    item.item = std::to_string(w);
    item.attraction = w;
    fitted.queries.back().items.push_back(item);
  }
  const Problem p = model_problem_of_query(fitted, "q", "m.json");
  EXPECT_EQ(p.model(), "pbm");
  EXPECT_EQ(p.items(), 2U);
  EXPECT_EQ(p.positions(), 2U);  // no more than it has items
  EXPECT_NEAR(p.users(1, 0).best_expected_reward(), .9 * .8 + .5 * .2, 1e-12);
  EXPECT_THROW(model_problem_of_query(fitted, "other", "m.json"), InputError);
}

// The same users, whatever the model they are written as, or the reward: the order of positions is
// that of the best sorted list.
TEST(ModelProblem, TellsTheOrderThatTheBestSortedListFollows) {
  const auto facts = [](const char* json) { return parse_problem(json, "p.json").facts(); };
  const ListFacts pbm =
      facts(R"({"model":"pbm","attraction":[0.9,0.8,0.7,0.6,0.5,0.4],"examination":[0.5,1,0.25]})");
  const ListFacts ubm = facts(
      R"({"model":"ubm","attraction":[0.9,0.8,0.7,0.6,0.5,0.4],
          "examination":[[0.5],[1,1],[0.25,0.25,0.25]]})");
  EXPECT_EQ(pbm.order, (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(ubm.order, pbm.order);
  EXPECT_NEAR(ubm.floor.value(), 0, 1e-12);
  const ListFacts clicks = facts(
      R"({"model":"dcm","attraction":[0.757,0.969,0.424,0.242,0.38],
          "termination":[0.111,0.629,0.943],"reward":"clicks"})");
  EXPECT_EQ(clicks.order, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_NEAR(clicks.floor.value(), 0, 1e-12);
}

// Items of the same attraction may satisfy differently: of the sorted lists the best one counts.
TEST(ModelProblem, BreaksTiesOfTheBestSortedListByWhatItIsWorth) {
  const auto floor = [](const std::string& others, const std::string& satisfied) {
    const Problem p = parse_problem(R"({"model":"sdbn","attraction":[0.5,0.5,0.5,0.9)" + others +
                                        R"(],"satisfaction":[0.05,0.5,0.9,0.9)" + satisfied +
                                        R"(],"positions":2})",
                                    "p.json");
    return std::pair(p.facts().floor.value(), p.facts().searched);
  };
  EXPECT_EQ(floor("", ""), std::pair(0.0, false));
  std::string many;
  std::string satisfied;
  for (int n = 0; n < 150; ++n) {  // too many lists to try them all
    many += ",0.1";
    satisfied += ",0.1";
  }
  EXPECT_EQ(floor(many, satisfied), std::pair(0.0, true));
}

// Exchanges from the sorted list end at 1.33 here.
TEST(ModelProblem, KnowsTheBestOfFewLists) {
  const Problem problem = parse_problem(
      R"({"model":"sdbn","attraction":[0.788,0.485,0.216,0.82,0.278],"positions":4,
          "satisfaction":[0.674,0.694,0.119,0.659,0.932],"reward":"clicks"})",
      "p.json");
  EXPECT_FALSE(problem.facts().searched);
  EXPECT_NEAR(problem.users(1, 0).best_expected_reward(), 1.4696, 1e-4);
  EXPECT_NEAR(problem.users(1, 0).expected_reward(problem.facts().best), 1.4696, 1e-4);
}

TEST(ModelProblem, NamesTheListThatRegretIsMeasuredAgainst) {
  for (const char* json :
       {R"({"attraction":[0.1,0.6,0.5],"termination":[0.1,0.5]})",
        R"({"model":"pbm","attraction":[0.9,0.8,0.7,0.6],"examination":[0.5,1,0.25]})"}) {
    const Problem problem = parse_problem(json, "p.json");
    const AnyUsers users = problem.users(1, 0);
    ASSERT_EQ(problem.facts().best.size(), problem.positions());
    EXPECT_DOUBLE_EQ(users.expected_reward(problem.facts().best), users.best_expected_reward());
  }
}

}  // namespace
}  // namespace dcmrank
