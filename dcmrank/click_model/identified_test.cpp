// What a log cannot tell is marked, and has no interval, whatever the prior says of it.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/made_up_test.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/prediction/generate.h"

namespace dcmrank {
namespace {

// One query; its best list shows all items.
FittedModel one_query(const char* model, const std::vector<double>& attraction, const char* list,
                      const std::vector<double>& values) {
  FittedModel truth;
  truth.model = model;
  truth.method = "problem";
  truth.positions = attraction.size();
  truth.lists[list].values = values;
  FittedQuery query{"q", 1, {}, {}};
  for (const double w : attraction) {
    FittedItem item;
    item.item = std::to_string(query.items.size() + 1);
    item.attraction = w;
    if (truth.model == "dbn") item.parameters = {0.5};
    query.items.push_back(item);
  }
  truth.queries = {query};
  return truth;
}

Statistics generated_by(const FittedModel& truth, RankingKind ranking, int impressions,
                        std::uint64_t seed = 5) {
  LogGenerator generator(truth, ranking, Rng(seed));
  Statistics statistics(Needs{true, true, 1'000'000, true, true});
  for (int i = 0; i < impressions; ++i) statistics.add(generator.next());
  return statistics;
}

FittedModel fitted_to(const std::string& model, const Statistics& statistics, const Prior& prior,
                      unsigned threads = 1) {
  FitOptions options;
  options.method = Method::kEm;
  options.shared = true;
  options.intervals = true;
  options.prior = prior;
  options.max_iterations = 20'000;
  options.threads = threads;
  options.rows_for_threads = 1;
  return fit(click_model(model, "model"), make_sample(statistics, {}), options);
}

FittedModel fitted_to(const FittedModel& truth, RankingKind ranking, int impressions,
                      const Prior& prior) {
  return fitted_to(truth.model, generated_by(truth, ranking, impressions), prior);
}

using Names = std::vector<std::string>;
using Entries = std::vector<std::size_t>;

// For any chance of going on there are attractions and satisfactions with the same clicks. The
// satisfaction of the first is known: what follows its click is seen beside what follows its skip.
TEST(Identified, NothingBelowTheTopOfAListThatNeverChangesInTheDbn) {
  const FittedModel truth = one_query("dbn", {0.5, 0.45, 0.4, 0.35}, "continuation", {0.6});
  for (const int impressions : {300, 3000, 100'000}) {
    for (const double prior : {0.0, 1.0}) {
      const FittedModel fitted =
          fitted_to(truth, RankingKind::kOptimal, impressions, {prior, prior});
      SCOPED_TRACE(std::to_string(impressions) + " pages, prior " + std::to_string(prior));
      EXPECT_EQ(fitted.lists.at("continuation").unidentified, Entries{1});
      for (const FittedItem& item : fitted.queries.front().items) {
        if (item.item == "1") {
          EXPECT_EQ(item.unidentified, Names{});
          EXPECT_TRUE(item.interval && item.interval->low < 0.5 && item.interval->high > 0.5);
        } else {
          EXPECT_EQ(item.unidentified, (Names{"attraction", "satisfaction"})) << item.item;
          EXPECT_FALSE(item.interval) << item.item;
        }
      }
    }
  }
}

// What follows a click is one chance, of three parameters.
TEST(Identified, OnlyTheProductOfGoingOnAndAttractionInListsOfTwoOfTheCcm) {
  const FittedModel truth = one_query("ccm", {0.5, 0.4}, "alpha", {0.8, 0.6, 0.4});
  for (const int impressions : {300, 3000, 100'000}) {
    for (const double prior : {0.0, 1.0}) {
      const FittedModel fitted =
          fitted_to(truth, RankingKind::kOptimal, impressions, {prior, prior});
      SCOPED_TRACE(std::to_string(impressions) + " pages, prior " + std::to_string(prior));
      EXPECT_EQ(fitted.lists.at("alpha").unidentified, (Entries{1, 2, 3}));
      const auto& items = fitted.queries.front().items;
      EXPECT_EQ(items[0].unidentified, Names{});
      EXPECT_EQ(items[1].unidentified, Names{"attraction"});
      EXPECT_FALSE(items[1].interval);
    }
  }
}

// In a log of one list that never changes, the parameters of the CCM lie on a bent ridge. What its
// slope where EM stopped says of their errors is half of them and less.
TEST(Identified, WellEnoughWhereItHasAnInterval) {
  const std::vector<double> attraction{0.696, 0.488, 0.222, 0.183, 0.071};
  const FittedModel truth = one_query("ccm", attraction, "alpha", {0.86, 0.82, 0.43});
  for (const double prior : {0.0, 1.0}) {
    double covered = 0;
    double intervals = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Statistics log = generated_by(truth, RankingKind::kOptimal, 3000, seed);
      const FittedModel fitted = fitted_to("ccm", log, {prior, prior});
      for (const FittedItem& item : fitted.queries.front().items) {
        if (!item.interval) continue;
        const double w = attraction[std::stoul(item.item) - 1];
        covered += item.interval->low <= w && w <= item.interval->high ? 1 : 0;
        intervals += 1;
      }
    }
    EXPECT_GT(covered / intervals, 0.87) << covered << " of " << intervals;
    EXPECT_GT(intervals, 15);
  }
}

TEST(Identified, EverythingWhereListsAreRandom) {
  for (const char* name : {"dcm", "pbm", "ubm", "dbn", "sdbn", "ccm"}) {
    const FittedModel truth = made_up(click_model(name, "model"), 11);
    for (const int impressions : {600, 20'000}) {
      for (const double prior : {0.0, 1.0}) {
        const FittedModel fitted =
            fitted_to(truth, RankingKind::kRandom, impressions, {prior, prior});
        SCOPED_TRACE(name + (" " + std::to_string(impressions)));
        for (const FittedQuery& query : fitted.queries) {
          for (const FittedItem& item : query.items) {
            EXPECT_EQ(item.unidentified, Names{}) << item.item;
            EXPECT_TRUE(item.interval || impressions == 600) << item.item;
          }
        }
        for (const auto& [list, values] : fitted.lists) {
          EXPECT_EQ(values.unidentified, list == "termination" ? Entries{5} : Entries{}) << list;
        }
      }
    }
  }
}

// The log then tells a little of what the prior tells more of.
TEST(Identified, NotWhatOnlyOnePageInAnotherOrderTells) {
  for (const char* name : {"pbm", "ubm"}) {
    const FittedModel truth = made_up(click_model(name, "model"), 11);
    for (const int others : {1, 2000}) {
      Statistics statistics = generated_by(truth, RankingKind::kOptimal, 2000);
      statistics.merge(generated_by(truth, RankingKind::kRandom, others));
      const FittedModel fitted = fitted_to(name, statistics, {});
      const auto& unknown = fitted.lists.at("examination").unidentified;
      EXPECT_EQ(unknown.size(), others == 1 ? fitted.lists.at("examination").values.size() - 1 : 0U)
          << name;
    }
  }
}

TEST(Identified, TheSameOnAnyNumberOfThreads) {
  for (const char* name : {"dbn", "ccm", "ubm"}) {
    const FittedModel truth = made_up(click_model(name, "model"), 11);
    Statistics statistics = generated_by(truth, RankingKind::kOptimal, 1000);
    statistics.merge(generated_by(truth, RankingKind::kRandom, 3));
    const FittedModel one = fitted_to(name, statistics, {});
    const FittedModel four = fitted_to(name, statistics, {}, 4);
    EXPECT_EQ(one.queries, four.queries) << name;
    EXPECT_EQ(one.lists, four.lists) << name;
  }
}

}  // namespace
}  // namespace dcmrank
