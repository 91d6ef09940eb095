#include "dcmrank/prediction/scores.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/made_up_test.h"
#include "dcmrank/prediction/generate.h"

namespace dcmrank {
namespace {

// The mean of the log-likelihoods of n pages has the error that every mean of n values has.
TEST(ScoreErrors, AreThoseOfAMeanOverPages) {
  const FittedModel model = made_up(kDcmModel, 2);
  const ModelParameters parameters(model);
  LogGenerator generator(model, RankingKind::kRandom, Rng(3));
  Scorer all(parameters);
  std::vector<double> values;
  for (int i = 0; i < 50; ++i) {  // each a group of its own
    const Impression impression = generator.next();
    all.add(impression);
    Scorer one(parameters);
    one.add(impression);
    values.push_back(one.scores().log_likelihood);
    EXPECT_TRUE(std::isnan(one.scores().errors.log_likelihood));
  }
  EXPECT_NEAR(all.scores().errors.log_likelihood, summarise(values).stderr_, 1e-12);
}

TEST(ScoreErrors, OfADifferenceAreThoseOfDifferencesPageByPage) {
  const FittedModel model = made_up(kDcmModel, 2);
  const FittedModel another = made_up(kDcmModel, 3);
  const ModelParameters parameters(model);
  const ModelParameters others(another);
  LogGenerator generator(model, RankingKind::kRandom, Rng(3));
  Scorer scorer(parameters);
  Scorer rival(others);
  std::vector<double> differences;
  for (int i = 0; i < 50; ++i) {  // each a group of its own
    const Impression impression = generator.next();
    Scorer one(parameters);
    Scorer its_rival(others);
    for (Scorer* all : {&scorer, &one}) all->add(impression);
    for (Scorer* all : {&rival, &its_rival}) all->add(impression);
    differences.push_back(one.scores().log_likelihood - its_rival.scores().log_likelihood);
  }
  const Summary expected = summarise(differences);
  EXPECT_NEAR(scorer.difference(rival).mean, expected.mean, 1e-12);
  EXPECT_NEAR(scorer.difference(rival).stderr_, expected.stderr_, 1e-12);
  EXPECT_EQ(scorer.difference(scorer).mean, 0);
}

// Over many logs, scores vary by as much as their errors say: within a fifth, which is more than
// four standard errors of a standard deviation from 250 logs, and what groups add to it.
TEST(ScoreErrors, AreTheSpreadOfScoresOverLogs) {
  const FittedModel model = made_up(kDcmModel, 2);
  const ModelParameters parameters(model);
  LogGenerator generator(model, RankingKind::kRandom, Rng(4));
  constexpr int kLogs = 250;
  std::vector<double> perplexities;
  double mean_square = 0;
  for (int log = 0; log < kLogs; ++log) {
    Scorer scorer(parameters);
    for (int i = 0; i < 500; ++i) scorer.add(generator.next());
    const Scores scores = scorer.scores();
    perplexities.push_back(scores.perplexity);
    mean_square += scores.errors.perplexity * scores.errors.perplexity / kLogs;
  }
  const double spread = summarise(perplexities).stderr_ * std::sqrt(kLogs);
  EXPECT_NEAR(std::sqrt(mean_square) / spread, 1, 0.2);
}

TEST(ScoreErrors, KeepPagesOfASessionTogether) {
  const FittedModel model = made_up(kDcmModel, 2);
  const ModelParameters parameters(model);
  LogGenerator generator(model, RankingKind::kRandom, Rng(5));
  Scorer once(parameters);
  Scorer thrice(parameters);
  for (std::uint64_t i = 1; i <= 200; ++i) {
    Impression impression = generator.next();
    impression.session = i;
    once.add(impression);
    for (int copy = 0; copy < 3; ++copy) thrice.add(impression);
  }
  EXPECT_NEAR(thrice.scores().errors.log_likelihood, once.scores().errors.log_likelihood, 1e-12);
}

ClickModel failing_model() {
  ClickModel model;
  model.name = "failing";
  model.full = [](const PageParameters&, std::span<double>) { throw std::out_of_range("boom"); };
  model.conditional = [](const PageParameters&, Clicks, std::span<double> p) { p.back() = 3; };
  model.fit = kPbmModel.fit;
  return model;
}

TEST(Predictions, ThatCannotBeUsedAreToldWithFileAndQuery) {
  add_click_model(failing_model());  // for all tests of this program that come after
  FittedModel model = made_up(kDcmModel, 2);
  model.model = "failing";
  model.lists.clear();
  for (FittedQuery& query : model.queries) query.lists.clear();
  const auto told_by = [](auto ask) -> std::string {
    try {
      ask();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string query = fmt::format("query '{}': ", model.queries.front().query);
  LogGenerator generator(model, RankingKind::kRandom, Rng(3));
  EXPECT_TRUE(told_by([&] { generator.next(); })
                  .ends_with("': click model 'failing': conditional gives 3 at position 1, not a "
                             "probability"));
  const Id item("1");
  const std::uint8_t click = 0;
  const Impression impression{Id(model.queries.front().query), {&item, 1}, {&click, 1}};
  const ModelParameters parameters(model);
  EXPECT_EQ(told_by([&] { Scorer(parameters).add(impression); }),
            query + "click model 'failing': full: boom");
  const ModelParameters named(model, "m.json");
  EXPECT_EQ(told_by([&] { Scorer(named).add(impression); }),
            "m.json, " + query + "click model 'failing': full: boom");
}

}  // namespace
}  // namespace dcmrank
