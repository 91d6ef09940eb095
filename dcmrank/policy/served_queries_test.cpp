// The browsing model in a service, with simulated users.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/numeric/summary.h"
#include "dcmrank/policy/browsing_policy.h"
#include "dcmrank/policy/served_rows_test.h"
#include "dcmrank/sim/simulation.h"
#include "dcmrank/users/problem.h"

namespace dcmrank {
namespace {

// One query in a service: what was learned is in rows.
class ServedQuery {
 public:
  ServedQuery(const Problem& problem, std::uint64_t seed, std::uint64_t number)
      : policy_(BrowsingPolicy({problem.items(), problem.positions(), 0}, problem.facts().order)
                    .open_view()),
        users_(problem.users(seed, number)),
        rng_(stream_key(Stream::kPolicy, seed, number)),
        rows_(problem.items(), std::vector<double>(policy_.item_row())),
        clicks_(problem.positions()) {}

  /// Shows a list to so many users; returns their regret.
  double serve(int pages, std::span<const double> shared) {
    double regret = 0;
    for (int n = 0; n < pages; ++n) {
      put_rows(policy_, rows_);
      policy_.put_shared(shared);
      policy_.rank(rng_, ranking_);
      users_.visit(++step_, ranking_.items, clicks_);
      policy_.update(ranking_, clicks_);
      rows_ = rows_of(policy_, rows_.size());
      regret += users_.best_expected_reward() - users_.expected_reward(ranking_.items);
    }
    return regret;
  }

  const Rows& rows() const { return rows_; }
  const OpenBrowsing& policy() const { return policy_; }

 private:
  OpenBrowsing policy_;
  AnyUsers users_;
  Rng rng_;
  Rows rows_;
  std::uint64_t step_ = 0;
  Ranking ranking_;
  std::vector<std::uint8_t> clicks_;
};

// A query of its own, whose users look at positions as those of all others.
Problem random_query(Rng& rng, const std::string& users) {
  std::vector<double> attraction(8);
  for (double& w : attraction) w = .03 + .6 * std::pow(rng.uniform(), 2);
  return parse_problem(
      fmt::format(R"({{{},"attraction":[{}]}})", users, fmt::join(attraction, ",")), "query");
}

// Regret of each query over its first 50 pages, and over 600.
struct Regrets {
  std::vector<double> first;
  std::vector<double> all;

  void add(ServedQuery query, std::span<const double> shared) {
    first.push_back(query.serve(50, shared));
    all.push_back(first.back() + query.serve(550, shared));
  }
};

struct RareQueries {
  std::vector<double> shared;  // what other queries taught
  Regrets knowing;             // it
  Regrets alone;
};

RareQueries serve_rare_queries(const std::string& users) {
  Rng rng(3);
  Rows all;
  RareQueries result;
  for (std::uint64_t n = 0; n < 150; ++n) {
    ServedQuery query(random_query(rng, users), 5, n);
    query.serve(60, result.shared);
    all.insert(all.end(), query.rows().begin(), query.rows().end());
    if (n % 30 == 29) result.shared = fit_shared(query.policy(), all);
  }
  for (std::uint64_t n = 0; n < 100; ++n) {
    const Problem problem = random_query(rng, users);
    result.knowing.add(ServedQuery(problem, 9, n), result.shared);
    result.alone.add(ServedQuery(problem, 9, n), {});
  }
  return result;
}

// For documents: in the test's output as XML.
void record(const std::string& name, const Summary& value) {
  testing::Test::RecordProperty(name, text(value));
}

// Less regret with what other queries taught, by more than chance explains.
void expect_gain(const RareQueries& queries) {
  const auto& [shared, knowing, alone] = queries;
  record("alone", summarise(alone.all));
  record("ratio_of_first_50", paired_ratio(knowing.first, alone.first));
  const Summary ratio = paired_ratio(knowing.all, alone.all);
  record("ratio", ratio);
  EXPECT_LT(ratio.mean + 2 * ratio.stderr_, 1);
}

TEST(OpenBrowsing, ServesARareQueryBetterByWhatOtherQueriesTaughtOfUbmUsers) {
  const RareQueries queries = serve_rare_queries(
      R"("model":"ubm","examination":[[1],[0.9,0.6],[0.85,0.4,0.5],[0.8,0.4,0.25,0.4]])");
  expect_gain(queries);
  EXPECT_NEAR(queries.shared[2], .9, .1);  // the second position below a click
  EXPECT_NEAR(queries.shared[3], .6, .1);
}

TEST(OpenBrowsing, ServesARareQueryBetterByWhatOtherQueriesTaughtOfPbmUsers) {
  const RareQueries queries =
      serve_rare_queries(R"("model":"pbm","examination":[1,0.6,0.4,0.3,0.2])");
  expect_gain(queries);
  EXPECT_NEAR(queries.shared[3], .6, .1);
}

// Told that the first position is not the best, it believes that others are looked at more often;
// not told, it finds that out where the clicks leave no doubt.
TEST(OpenBrowsing, LearnsThatTheFirstPositionIsNotLookedAtMost) {
  const Problem problem = parse_problem(
      R"({"model":"pbm","attraction":[0.45,0.4,0.35,0.3,0.25,0.2],"examination":[0.5,1,0.25]})",
      "p.json");
  ServedQuery query(problem, 1, 0);
  query.serve(3000, {});
  EXPECT_NEAR(fit_shared(query.policy(), query.rows())[3], 2, .4);
  EXPECT_NEAR(fit_shared(OpenBrowsing(top_down(3)), query.rows())[3], 2, .4);
}

constexpr std::uint64_t kPages = 6000;

double regret_of_policy(const Problem& problem, std::uint64_t run) {
  const Shape shape{problem.items(), problem.positions(), kPages};
  Simulation simulation(BrowsingPolicy(shape, problem.facts().order), problem.users(1, run), shape,
                        Rng(stream_key(Stream::kPolicy, 1, run)));
  simulation.advance(kPages);
  return simulation.regret();
}

// Fitted as often as ubm-ts fits itself.
double regret_of_view(const Problem& problem, std::uint64_t run) {
  ServedQuery query(problem, 1, run);
  std::vector<double> shared;
  double regret = 0;
  for (std::uint64_t t = 0; t < kPages;) {
    const std::uint64_t pages = std::min(kPages - t, std::max<std::uint64_t>(10, t / 40));
    regret += query.serve(static_cast<int>(pages), shared);
    shared = fit_shared(query.policy(), query.rows());
    t += pages;
  }
  return regret;
}

void expect_alike(const std::string& text) {
  const Problem problem = parse_problem(text, "p.json");
  std::vector<double> policy;
  std::vector<double> view;
  std::vector<double> never_fitted;
  for (std::uint64_t run = 0; run < 4; ++run) {
    policy.push_back(regret_of_policy(problem, run));
    view.push_back(regret_of_view(problem, run));
    never_fitted.push_back(ServedQuery(problem, 1, run).serve(kPages, {}));
  }
  record("policy", summarise(policy));
  const Summary ratio = paired_ratio(view, policy);
  record("view_ratio", ratio);
  record("never_fitted_ratio", paired_ratio(never_fitted, policy));
  EXPECT_LT(ratio.mean, 1.5);
  EXPECT_GT(ratio.mean, 1 / 1.5);
  EXPECT_GT(paired_ratio(never_fitted, policy).mean, 1.5);
}

TEST(OpenBrowsing, ServesOneQueryOfPbmUsersAboutAsWellAsThePolicyItIsAViewOf) {
  expect_alike(R"({"model":"pbm","attraction":[0.1,0.1,0.2,0.2,0.3,0.4,0.5,0.45],
                   "examination":[1,0.5,0.3,0.2]})");
}

TEST(OpenBrowsing, ServesOneQueryOfUbmUsersAboutAsWellAsThePolicyItIsAViewOf) {
  expect_alike(R"({"model":"ubm","attraction":[0.5,0.4,0.3,0.3,0.2,0.1,0.1],
                   "examination":[[1],[0.9,0.6],[0.8,0.4,0.5]]})");
}

}  // namespace
}  // namespace dcmrank
