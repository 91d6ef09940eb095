#include "dcmrank/click_model/attraction_interval.h"

#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/generate.h"
#include "dcmrank/click_model/model_file.h"
#include "dcmrank/fit/sample.h"

namespace dcmrank {
namespace {

constexpr std::size_t kLogs = 300;

Statistics generated(const FittedModel& truth, RankingKind ranking, int impressions,
                     std::uint64_t seed) {
  LogGenerator generator(truth, ranking, Rng(seed));
  Statistics statistics(Needs{true, true, 100'000, true, true});
  for (int i = 0; i < impressions; ++i) statistics.add(generator.next());
  return statistics;
}

FittedModel fit_by(const ClickModel& model, Method method, const Statistics& statistics) {
  FitOptions options;
  options.method = method;
  options.max_iterations = 300;
  options.tolerance = 1e-7;
  return fit(model, make_sample(statistics, {}), options);
}

// The share of intervals that cover the attraction, over logs that users of the model itself made,
// and whether there were any. Lists are in random order, or always the same, as most logs are.
template <class IntervalOf>
std::pair<double, bool> coverage(const ClickModel& model, Method method, RankingKind ranking,
                                 IntervalOf interval_of) {
  const FittedModel source = model_of({{0.7, 0.5, 0.4, 0.3, 0.2, 0.1}, {0.6, 0.5, 0.4, 0.3}});
  const FittedModel truth = fit_by(model, method, generated(source, RankingKind::kRandom, 3000, 1));
  std::map<std::string, double> attraction;
  for (const FittedItem& item : truth.queries[0].items) attraction[item.item] = item.attraction;
  double covered = 0;
  double all = 0;
  for (std::uint64_t log = 0; log < kLogs; ++log) {
    const FittedModel fitted = fit_by(model, method, generated(truth, ranking, 600, 100 + log));
    for (const FittedItem& item : fitted.queries[0].items) {
      const std::optional<Interval> interval = interval_of(fitted, item);
      if (!interval) continue;
      const double w = attraction.at(item.item);
      covered += interval->low <= w && w <= interval->high ? 1 : 0;
      all += 1;
    }
  }
  return {all > 0 ? covered / all : 0, all > 0};
}

std::optional<Interval> wilson(const FittedModel& /*model*/, const FittedItem& item) {
  return wilson_interval({item.shown, item.clicked});
}

std::string property(const ClickModel& model, Method method, RankingKind ranking) {
  return model.name + "_by_" + name_of(method) +
         (ranking == RankingKind::kRandom ? "_random_order" : "_same_order");
}

// At least 1,200 intervals: a standard error of at most 0.0063.
TEST(AttractionInterval, CoversTheTruthWhereverThereIsOne) {
  std::size_t with_intervals = 0;
  for (const RankingKind ranking : {RankingKind::kRandom, RankingKind::kOptimal}) {
    for (const ClickModel* model : click_models()) {
      for (const Method method : model->methods) {
        const auto [share, any] = coverage(*model, method, ranking, attraction_interval);
        if (!any) continue;
        ++with_intervals;
        EXPECT_NEAR(share, 0.95, 0.02) << property(*model, method, ranking);
        RecordProperty(property(*model, method, ranking), std::to_string(share));
      }
    }
  }
  EXPECT_EQ(with_intervals, 4U);  // cascade and dctr
}

// Why the others have none. The figures of docs/fitting.md, in --gtest_output=xml.
TEST(AttractionInterval, WouldNotCoverTheTruthFromCountsThatAreNotTrials) {
  const auto share = [](const ClickModel& model, Method method, RankingKind ranking) {
    const double result = coverage(model, method, ranking, wilson).first;
    RecordProperty(property(model, method, ranking), std::to_string(result));
    return result;
  };
  // EM sees enough of lists in random order; where they are always the same it does not.
  EXPECT_NEAR(share(kDcmModel, Method::kEm, RankingKind::kRandom), 0.945, 0.02);
  EXPECT_LT(share(kDcmModel, Method::kEm, RankingKind::kOptimal), 0.92);
  for (const RankingKind ranking : {RankingKind::kRandom, RankingKind::kOptimal}) {
    EXPECT_LT(share(kDcmModel, Method::kCount, ranking), 0.9);
    EXPECT_LT(share(kPbmModel, Method::kEm, ranking), 0.9);
    EXPECT_LT(share(kSdbnModel, Method::kCount, ranking), 0.9);
  }
}

}  // namespace
}  // namespace dcmrank
