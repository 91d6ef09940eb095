#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/prediction/generate.h"

namespace dcmrank {
namespace {

Dcm problem(std::size_t items) {
  Dcm dcm{{}, {0.5, 0.4, 0.3, 0.2, 0.1}};
  for (std::size_t e = 0; e < items; ++e) {
    dcm.attraction.push_back(0.05 + 0.6 * static_cast<double>(e) / static_cast<double>(items));
  }
  return dcm;
}

Statistics generated(const FittedModel& model, int impressions, std::uint64_t seed,
                     const Needs& needs) {
  LogGenerator generator(model, RankingKind::kRandom, Rng(seed));
  Statistics statistics(needs);
  for (int i = 0; i < impressions; ++i) statistics.add(generator.next());
  return statistics;
}

FitOptions options(Method method) {
  FitOptions result;
  result.method = method;
  return result;
}

void expect_never_decreases(const EmTrace& trace) {
  for (std::size_t i = 1; i < trace.objective.size(); ++i) {
    EXPECT_GE(trace.objective[i], trace.objective[i - 1] - 1e-9 * std::abs(trace.objective[i]));
  }
}

// 500,000 lists of 5 of 20 items. Tolerance: four standard errors of the least observed parameter
// are below 0.01.
TEST(DcmEm, RecoversTheModelOfAGeneratedLogWhereCountingIsBiased) {
  const Dcm truth = problem(20);
  const FittedModel source = model_of(truth);
  const Statistics statistics = generated(source, 500'000, 1, {true, false, 1'000'000});
  const Sample sample = make_sample(statistics, {});
  const FittedModel em = fit(kDcmModel, sample, options(Method::kEm));
  const FittedModel counted = fit(kDcmModel, sample, options(Method::kCount));
  double bias = 0;
  for (std::size_t i = 0; i < em.queries[0].items.size(); ++i) {
    const FittedItem& item = em.queries[0].items[i];
    const double w = truth.attraction[std::stoul(item.item) - 1];
    EXPECT_GT(item.impressions, 5000);
    EXPECT_NEAR(item.attraction, w, 0.01) << item.item;
    bias = std::max(bias, counted.queries[0].items[i].attraction - w);
  }
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(em.queries[0].lists.at("termination").values[k], truth.termination[k], 0.01) << k;
    EXPECT_GT(counted.queries[0].lists.at("termination").values[k], truth.termination[k] + 0.05)
        << k;
  }
  EXPECT_GT(bias, 0.05);
  EXPECT_EQ(em.queries[0].lists.at("termination").unidentified, (std::vector<std::size_t>{5}));
  EXPECT_TRUE(em.em.converged);
  expect_never_decreases(em.em);
}

TEST(DcmEm, NeverDecreasesItsObjective) {
  const Statistics statistics = generated(model_of(problem(8)), 300, 2, {true, false, 100'000});
  const Sample sample = make_sample(statistics, {});
  for (const double prior : {0.0, 0.5, 3.0}) {
    for (const bool shared : {false, true}) {
      FitOptions chosen = options(Method::kEm);
      chosen.prior = {prior, prior};
      chosen.shared = shared;
      const FittedModel fitted = fit(kDcmModel, sample, chosen);
      EXPECT_GT(fitted.em.iterations(), 3U);
      expect_never_decreases(fitted.em);
      if (prior == 0) {
        EXPECT_EQ(fitted.em.objective, fitted.em.log_likelihood);
      }
    }
  }
}

// The likelihood from the sufficient statistics is the sum over impressions of the conditional
// probabilities, which is the slow and obvious way.
TEST(DcmEm, ReportsTheLikelihoodOfTheImpressions) {
  const FittedModel source = model_of(problem(7));
  FitOptions chosen = options(Method::kEm);
  chosen.max_iterations = 1;
  const FittedModel fitted =
      fit(kDcmModel, make_sample(generated(source, 400, 3, {true, false, 100'000}), {}), chosen);
  const ModelParameters parameters(fitted);
  LogGenerator generator(source, RankingKind::kRandom, Rng(3));
  double sum = 0;
  PageParameters page;
  std::vector<double> p(5);
  for (int i = 0; i < 400; ++i) {
    const Impression impression = generator.next();
    parameters.find(impression, page);
    kDcmModel.conditional(page, impression.clicks, p);
    for (std::size_t k = 0; k < 5; ++k) {
      sum += std::log(impression.clicks[k] != 0 ? p[k] : 1 - p[k]);
    }
  }
  EXPECT_NEAR(fitted.em.log_likelihood.back(), sum, 1e-8);
}

TEST(DcmEm, LearnsNothingOfTerminationFromTheLastItemOfAShortList) {
  Statistics statistics(Needs{true, false, 1000});
  const std::vector<Id> items{Id("a"), Id("b")};
  const std::vector<std::uint8_t> clicks{0, 1};
  for (int i = 0; i < 50; ++i) statistics.add({Id("q"), items, clicks});
  const std::vector<Id> longer{Id("a"), Id("b"), Id("c")};
  const std::vector<std::uint8_t> none{0, 0, 0};
  statistics.add({Id("q"), longer, none});
  const FittedModel fitted = fit(kDcmModel, make_sample(statistics, {}), options(Method::kEm));
  EXPECT_EQ(fitted.queries[0].lists.at("termination").unidentified,
            (std::vector<std::size_t>{1, 2, 3}));
  for (const double v : fitted.queries[0].lists.at("termination").values) EXPECT_DOUBLE_EQ(v, 0.5);
}

TEST(TailTable, KeepsNoMoreThanItMay) {
  TailTable table(3);
  const std::vector<std::uint8_t> clicks{1, 0, 0};
  for (std::uint32_t i = 0; i < 3; ++i) {
    table.add(0, std::vector<std::uint32_t>{9, i, i + 1}, clicks);
    table.add(0, std::vector<std::uint32_t>{8, i + 1, i}, clicks);  // the same set below the click
  }
  EXPECT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0].impressions, 2);
  EXPECT_FALSE(table.overflown());
  table.add(1, std::vector<std::uint32_t>{9, 1, 2}, clicks);
  EXPECT_TRUE(table.overflown());
}

}  // namespace
}  // namespace dcmrank
