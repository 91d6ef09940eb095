// What all estimators by EM have in common, on logs that users of the model itself made.
#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/made_up_test.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/prediction/generate.h"

namespace dcmrank {
namespace {

constexpr std::size_t kListed = 5;

const Needs kAll{true, true, 1'000'000, true, true};

Statistics made_by(const FittedModel& truth, int impressions, std::uint64_t seed) {
  LogGenerator generator(truth, RankingKind::kRandom, Rng(seed));
  Statistics statistics(kAll);
  for (int i = 0; i < impressions; ++i) statistics.add(generator.next());
  return statistics;
}

FitOptions em_options() {
  FitOptions options;
  options.method = Method::kEm;
  options.shared = true;
  return options;
}

class EveryEstimator : public ::testing::TestWithParam<const ClickModel*> {
 protected:
  const ClickModel& model() const { return *GetParam(); }
};

// 200,000 lists: four standard errors of an attraction are below 0.02, of a satisfaction or an
// alpha, which clicks tell less about, below 0.06.
TEST_P(EveryEstimator, FindsTheParametersOfALogOfItsOwnUsers) {
  const FittedModel truth = made_up(model(), 11);
  const FittedModel fitted =
      fit(model(), make_sample(made_by(truth, 200'000, 1), {}), em_options());
  EXPECT_TRUE(fitted.em.converged);
  EXPECT_LT(fitted.em.iterations(), 200U);
  std::map<std::string, FittedItem> items;
  for (const FittedQuery& query : truth.queries) {
    for (const FittedItem& item : query.items) items[item.item] = item;
  }
  for (const FittedQuery& query : fitted.queries) {
    for (const FittedItem& item : query.items) {
      EXPECT_NEAR(item.attraction, items.at(item.item).attraction, 0.02) << item.item;
      for (std::size_t p = 0; p < item.parameters.size(); ++p) {
        EXPECT_NEAR(item.parameters[p], items.at(item.item).parameters[p], 0.06) << item.item;
      }
    }
  }
  for (const ListParameter& list : model().lists) {
    const auto& values = truth.lists.at(list.name).values;
    for (std::size_t n = 0; n < values.size(); ++n) {
      if (list.name == "termination" && n + 1 == kListed) continue;  // not identified
      EXPECT_NEAR(fitted.lists.at(list.name).values[n], values[n], 0.06) << list.name << n;
    }
  }
}

TEST_P(EveryEstimator, NeverLowersItsObjective) {
  const Sample sample = make_sample(made_by(made_up(model(), 11), 300, 2), {});
  for (const double prior : {0.0, 0.5, 3.0}) {
    FitOptions options = em_options();
    options.prior = {prior, prior};
    const EmTrace trace = fit(model(), sample, options).em;
    EXPECT_GT(trace.iterations(), 3U);
    for (std::size_t i = 1; i < trace.objective.size(); ++i) {
      EXPECT_GE(trace.objective[i], trace.objective[i - 1] - 1e-9 * std::abs(trace.objective[i]));
    }
  }
}

// The likelihood from the sufficient statistics is the sum over impressions of the conditional
// probabilities, which is the slow and obvious way; also where EM had to stop early.
TEST_P(EveryEstimator, ReportsTheLikelihoodOfTheImpressions) {
  const FittedModel truth = made_up(model(), 11);
  for (const std::size_t iterations : {1U, 2U, 3U, 4U, 1000U}) {
    FitOptions options = em_options();
    options.max_iterations = iterations;
    const FittedModel fitted = fit(model(), make_sample(made_by(truth, 400, 3), {}), options);
    EXPECT_EQ(fitted.em.converged, iterations == 1000);
    const ModelParameters parameters(fitted);
    LogGenerator generator(truth, RankingKind::kRandom, Rng(3));
    double sum = 0;
    PageParameters page;
    std::vector<double> p(kListed);
    for (int i = 0; i < 400; ++i) {
      const Impression impression = generator.next();
      parameters.find(impression, page);
      model().conditional(page, impression.clicks, p);
      for (std::size_t k = 0; k < kListed; ++k) {
        sum += std::log(impression.clicks[k] != 0 ? p[k] : 1 - p[k]);
      }
    }
    EXPECT_NEAR(fitted.em.log_likelihood.back(), sum, 1e-7) << iterations;
  }
}

TEST_P(EveryEstimator, GivesTheSameBitsForAnyNumberOfThreads) {
  const Sample sample = make_sample(made_by(made_up(model(), 11), 500, 4), {});
  for (const bool shared : {false, true}) {
    FitOptions options = em_options();
    options.shared = shared;
    options.intervals = true;
    const std::string one = print_model(fit(model(), sample, options));
    options.threads = 3;
    options.rows_for_threads = 0;
    EXPECT_EQ(print_model(fit(model(), sample, options)), one);
  }
}

// No step of plain EM from where it stopped gains anything to speak of: the optimum is one.
TEST_P(EveryEstimator, StopsAtAMaximum) {
  const Sample sample = make_sample(made_by(made_up(model(), 11), 2000, 5), {});
  FitOptions options = em_options();
  const double found = fit(model(), sample, options).em.objective.back();
  options.tolerance = 1e-15;
  options.max_iterations = 20'000;
  const double best = fit(model(), sample, options).em.objective.back();
  EXPECT_LT(best - found, 1e-4);
}

std::vector<const ClickModel*> models_with_em() {
  return {&kDcmModel, &kPbmModel, &kUbmModel, &kDbnModel, &kSdbnModel, &kCcmModel};
}

std::string name_of_model(const ::testing::TestParamInfo<const ClickModel*>& info) {
  return info.param->name;
}
INSTANTIATE_TEST_SUITE_P(All, EveryEstimator, ::testing::ValuesIn(models_with_em()), name_of_model);

// Where parameters are a query's own, what stands in the log beside it does not matter.
TEST(Em, FitsAQueryAloneAsItDoesAmongOthers) {
  const Statistics statistics = made_by(made_up(kDcmModel, 11), 2000, 6);
  FitOptions options = em_options();
  options.shared = false;
  const FittedModel both = fit(kDcmModel, make_sample(statistics, {}), options);
  const FittedModel first = fit(kDcmModel, make_sample(statistics, {1, 0}), options);
  ASSERT_EQ(first.queries.size(), 1U);
  EXPECT_EQ(first.queries[0], both.queries[0]);
}

// Tails that are read again from the log in each iteration say the same as those in memory.
TEST(Em, ReadsTailsAgainWhereThereAreTooMany) {
  for (const ClickModel* model : models_with_em()) {
    Sample sample = make_sample(made_by(made_up(*model, 11), 300, 7), {});
    const FittedModel in_memory = fit(*model, sample, em_options());
    const SampleTails tails = sample.tails;
    sample.tails = SampleTails([&](const TailVisitor& visit) { tails(visit); });
    const FittedModel again = fit(*model, sample, em_options());
    EXPECT_NEAR(again.em.objective.back(), in_memory.em.objective.back(), 1e-4) << model->name;
  }
}

// The place that is examined most need not be the first.
TEST(Em, FindsAPositionThatIsExaminedMoreThanTheFirst) {
  const ClickModel& pbm = click_model("pbm", "model");
  FittedModel truth = made_up(pbm, 11);
  auto& examination = truth.lists.at("examination").values;
  examination[0] = .5;
  examination[1] = 1;
  for (const char* name : {"pbm", "ubm"}) {
    const FittedModel fitted =
        fit(click_model(name, "model"), make_sample(made_by(truth, 100'000, 1), {}), em_options());
    const auto& found = fitted.lists.at("examination").values;
    EXPECT_NEAR(found[0], .5, .02) << name;
    EXPECT_NEAR(found[1], 1, .03) << name;
  }
}

// Of clicks after which all went on, no more can have satisfied than there were.
TEST(Em, FindsChancesBetween0And1InTheSmallestLogsWithoutAPrior) {
  FitOptions options = em_options();
  options.prior = {0, 0};
  for (std::uint64_t log = 0; log < 300; ++log) {
    const FittedModel truth = made_up(kCcmModel, 300 + log);
    LogGenerator generator(truth, RankingKind::kOptimal, Rng(900 + log));
    Statistics statistics(kAll);
    for (int i = 0; i < 10; ++i) statistics.add(generator.next());
    const FittedModel fitted = fit(kCcmModel, make_sample(statistics, {}), options);
    for (const double alpha : fitted.lists.at("alpha").values) {
      EXPECT_GE(alpha, 0) << log;
      EXPECT_LE(alpha, 1) << log;
    }
  }
}

// Nobody is seen to go on after the last position: its termination must not spoil the rest.
TEST(Em, GivesIntervalsWithoutAPriorToo) {
  const ClickModel& dcm = click_model("dcm", "model");
  FitOptions options = em_options();
  options.prior = {0, 0};
  options.intervals = true;
  for (const bool shared : {false, true}) {
    options.shared = shared;
    const FittedModel fitted =
        fit(dcm, make_sample(made_by(made_up(dcm, 11), 20'000, 1), {}), options);
    for (const FittedItem& item : fitted.queries.front().items) {
      EXPECT_TRUE(item.interval.has_value()) << item.item << (shared ? ", shared" : "");
    }
  }
}

// As many contexts as there are make a matrix that nobody has room for.
TEST(Em, FitsTheUbmToVeryLongLists) {
  Statistics statistics(kAll);
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back("i" + std::to_string(i));
  const std::vector<Id> items(names.begin(), names.end());
  std::vector<std::uint8_t> clicks(200, 0);
  clicks[7] = 1;
  const Impression impression{Id("q"), items, clicks};
  statistics.add(impression);
  FitOptions options = em_options();
  options.intervals = true;
  const FittedModel fitted = fit(click_model("ubm", "model"), make_sample(statistics, {}), options);
  EXPECT_EQ(fitted.queries.front().items.size(), 200U);
}

}  // namespace
}  // namespace dcmrank
