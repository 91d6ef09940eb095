// The browsing model in a service, with simulated users.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

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

struct RareQueries {
  std::vector<double> shared;
  double knowing = 0;  // regret with what other queries taught
  double alone = 0;    // without
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
    result.knowing += ServedQuery(problem, 9, n).serve(300, result.shared);
    result.alone += ServedQuery(problem, 9, n).serve(300, {});
  }
  return result;
}

TEST(OpenBrowsing, ServesARareQueryBetterByWhatOtherQueriesTaughtOfUbmUsers) {
  const RareQueries queries = serve_rare_queries(
      R"("model":"ubm","examination":[[1],[0.9,0.6],[0.85,0.4,0.5],[0.8,0.4,0.25,0.4]])");
  EXPECT_LT(queries.knowing, .93 * queries.alone);
  EXPECT_NEAR(queries.shared[2], .9, .1);  // the second position below a click
  EXPECT_NEAR(queries.shared[3], .6, .1);
}

TEST(OpenBrowsing, ServesARareQueryBetterByWhatOtherQueriesTaughtOfPbmUsers) {
  const RareQueries queries =
      serve_rare_queries(R"("model":"pbm","examination":[1,0.6,0.4,0.3,0.2])");
  EXPECT_LT(queries.knowing, .97 * queries.alone);
  EXPECT_NEAR(queries.shared[3], .6, .1);
}

// Told that the first position is not the best, it believes that others are looked at more often.
TEST(OpenBrowsing, LearnsThatTheFirstPositionIsNotLookedAtMost) {
  const Problem problem = parse_problem(
      R"({"model":"pbm","attraction":[0.45,0.4,0.35,0.3,0.25,0.2],"examination":[0.5,1,0.25]})",
      "p.json");
  ServedQuery query(problem, 1, 0);
  query.serve(3000, {});
  EXPECT_NEAR(fit_shared(query.policy(), query.rows())[3], 2, .4);
  EXPECT_LE(fit_shared(OpenBrowsing(top_down(3)), query.rows())[3], 1);
}

// Fitted as often as ubm-ts fits itself, it serves one query as well.
TEST(OpenBrowsing, ServesOneQueryAboutAsWellAsThePolicyItIsAViewOf) {
  const std::vector<std::string> problems{
      R"({"model":"pbm","attraction":[0.1,0.1,0.2,0.2,0.3,0.4,0.5,0.45],
          "examination":[1,0.5,0.3,0.2]})",
      R"({"model":"ubm","attraction":[0.5,0.4,0.3,0.3,0.2,0.1,0.1],
          "examination":[[1],[0.9,0.6],[0.8,0.4,0.5]]})"};
  for (const std::string& text : problems) {
    const Problem problem = parse_problem(text, "p.json");
    constexpr std::uint64_t kSteps = 6000;
    double closed = 0;
    double open = 0;
    for (std::uint64_t run = 0; run < 4; ++run) {
      const Shape shape{problem.items(), problem.positions(), kSteps};
      Simulation simulation(BrowsingPolicy(shape, problem.facts().order), problem.users(1, run),
                            shape, Rng(stream_key(Stream::kPolicy, 1, run)));
      simulation.advance(kSteps);
      closed += simulation.regret();
      ServedQuery query(problem, 1, run);
      std::vector<double> shared;
      for (std::uint64_t t = 0; t < kSteps;) {
        const std::uint64_t pages = std::min(kSteps - t, std::max<std::uint64_t>(10, t / 40));
        open += query.serve(static_cast<int>(pages), shared);
        shared = fit_shared(query.policy(), query.rows());
        t += pages;
      }
    }
    EXPECT_LT(open, 1.5 * closed) << text;
    EXPECT_GT(open, closed / 1.5) << text;
  }
}

}  // namespace
}  // namespace dcmrank
