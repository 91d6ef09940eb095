#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/prediction/generate.h"
#include "dcmrank/prediction/scores.h"

namespace dcmrank {
namespace {

class EveryModel : public ::testing::TestWithParam<const ClickModel*> {
 protected:
  const ClickModel& model() const { return *GetParam(); }

  // Two queries, lists of 4 and of 3.
  Statistics statistics() const {
    const FittedModel source = model_of({{0.7, 0.5, 0.3, 0.2, 0.1}, {0.6, 0.4, 0.3, 0.2}});
    FittedModel two = source;
    two.queries.push_back(source.queries[0]);
    two.queries[1].query = "r";
    two.queries[1].items.resize(3);
    two.queries[1].impressions = 2;
    LogGenerator generator(two, RankingKind::kRandom, Rng(5));
    Statistics result(Needs{true, true, 10'000, true, true});
    for (int i = 0; i < 3000; ++i) result.add(generator.next());
    return result;
  }

  // A page of made-up parameters: numbers(n) says n of them.
  template <class Numbers>
  PageParameters page(std::size_t positions, Numbers numbers) const {
    PageParameters result{numbers(positions), {}, {}};
    for (std::size_t p = 0; p < model().items.size(); ++p) {
      result.items.push_back(numbers(positions));
    }
    for (const ListParameter& list : model().lists) {
      result.lists.push_back(numbers(entries(list, positions)));
    }
    return result;
  }

  PageParameters any_page(std::size_t positions) const {
    Rng rng(3);
    return page(positions, [&](std::size_t n) {
      std::vector<double> values(n);
      for (double& value : values) value = rng.uniform();
      return values;
    });
  }

  FittedModel fitted() const {
    FitOptions options;
    options.method = model().methods.back();
    options.intervals = true;
    return fit(model(), make_sample(statistics(), {}), options);
  }
};

// P(c_k = 1) is the sum over all clicks above k of P(c_k = 1 | c_<k) P(c_<k).
TEST_P(EveryModel, HasFullProbabilitiesThatAreTheSumOfTheConditionalOnes) {
  constexpr std::size_t kPositions = 4;
  const PageParameters page = any_page(kPositions);
  std::vector<double> full(kPositions);
  model().full(page, full);
  std::vector<double> sum(kPositions, 0.0);
  double total = 0;
  for (unsigned pattern = 0; pattern < 16; ++pattern) {
    std::vector<std::uint8_t> clicks(kPositions);
    for (std::size_t k = 0; k < kPositions; ++k) clicks[k] = pattern >> k & 1U;
    std::vector<double> p(kPositions);
    model().conditional(page, clicks, p);
    double probability = 1;
    for (std::size_t k = 0; k < kPositions; ++k) probability *= clicks[k] != 0 ? p[k] : 1 - p[k];
    total += probability;
    for (std::size_t k = 0; k < kPositions; ++k) sum[k] += clicks[k] * probability;
  }
  EXPECT_NEAR(total, 1, 1e-12);
  for (std::size_t k = 0; k < kPositions; ++k) EXPECT_NEAR(full[k], sum[k], 1e-12) << k;
}

TEST_P(EveryModel, GivesProbabilitiesForCertainItems) {
  for (const double w : {0.0, 1.0}) {
    const PageParameters certain =
        page(3, [&](std::size_t n) { return std::vector<double>(n, w); });
    for (unsigned pattern = 0; pattern < 8; ++pattern) {
      const std::vector<std::uint8_t> clicks{pattern & 1U ? std::uint8_t{1} : std::uint8_t{0},
                                             pattern & 2U ? std::uint8_t{1} : std::uint8_t{0},
                                             pattern & 4U ? std::uint8_t{1} : std::uint8_t{0}};
      std::vector<double> p(3);
      model().conditional(certain, clicks, p);
      for (const double x : p) EXPECT_TRUE(x >= 0 && x <= 1) << x;
    }
  }
}

TEST_P(EveryModel, ReadsBackFromItsFileAsItWas) {
  const FittedModel before = fitted();
  const FittedModel after = parse_model(print_model(before), "file");
  EXPECT_EQ(after.queries, before.queries);
  EXPECT_EQ(after.lists, before.lists);
  EXPECT_EQ(after.em, before.em);
  EXPECT_EQ(after.prior, before.prior);
  EXPECT_EQ(print_model(after), print_model(before));
}

TEST_P(EveryModel, ForetellsALogBetterThanACoin) {
  const FittedModel model = fitted();
  const ModelParameters parameters(model);
  Scorer scorer(parameters);
  LogGenerator generator(model, RankingKind::kRandom, Rng(6));
  for (int i = 0; i < 2000; ++i) scorer.add(generator.next());
  const Scores scores = scorer.scores();
  EXPECT_EQ(scores.sessions, 2000);
  EXPECT_GT(scores.log_likelihood, std::log(0.5));
  EXPECT_LT(scores.perplexity, 2);
  EXPECT_EQ(scores.perplexity_at.size(), 4U);
}

// Generated clicks come as often as the full probabilities say; 4 standard errors.
TEST_P(EveryModel, MakesLogsOfItsOwnProbabilities) {
  FittedModel model = fitted();
  model.queries.resize(1);
  LogGenerator generator(model, RankingKind::kOptimal, Rng(7));
  const ModelParameters parameters(model);
  PageParameters page;
  std::vector<double> p;
  std::vector<double> clicks;
  constexpr int kLists = 20'000;
  for (int i = 0; i < kLists; ++i) {
    const Impression impression = generator.next();
    if (i == 0) {
      p.resize(impression.items.size());
      clicks.resize(p.size());
      parameters.find(impression, page);
      parameters.click_model().full(page, p);
    }
    for (std::size_t k = 0; k < p.size(); ++k) clicks[k] += impression.clicks[k];
  }
  for (std::size_t k = 0; k < p.size(); ++k) EXPECT_NEAR(clicks[k] / kLists, p[k], 0.0142) << k;
}

std::string name_of(const ::testing::TestParamInfo<const ClickModel*>& info) {
  return info.param->name;
}
INSTANTIATE_TEST_SUITE_P(All, EveryModel, ::testing::ValuesIn(click_models()), name_of);

// By hand: w = (.5, .2), v_1 = .4, clicks (1, 0).
TEST(Scores, AreThoseOfPyClick) {
  const FittedModel model = parse_model(
      R"({"model":"dcm","method":"count","positions":2,"queries":[{"query":"q","impressions":1,
      "items":[{"item":"a","attraction":0.5},{"item":"b","attraction":0.2}],
      "termination":[0.4,0.5]}]})",
      "hand");
  const ModelParameters parameters(model);
  Scorer scorer(parameters);
  const std::vector<Id> items{Id("a"), Id("b")};
  const std::vector<std::uint8_t> clicks{1, 0};
  scorer.add({Id("q"), items, clicks});
  const Scores scores = scorer.scores();
  const double conditional = 1 - 0.2 * 0.6;
  const double full = 1 - 0.2 * (0.5 * 0.6 + 0.5);
  EXPECT_NEAR(scores.log_likelihood, (std::log(0.5) + std::log(conditional)) / 2, 1e-15);
  EXPECT_NEAR(scores.perplexity, (2 + 1 / full) / 2, 1e-14);
  EXPECT_NEAR(scores.conditional_perplexity, (2 + 1 / conditional) / 2, 1e-14);
}

TEST(Scores, TakeThePriorsMeanForWhatWasNotSeen) {
  const FittedModel model = parse_model(
      R"({"model":"dctr","method":"count","positions":1,"prior":[1,3],"queries":[{"query":"q",
      "impressions":1,"items":[{"item":"a","attraction":0.5}]}]})",
      "hand");
  const ModelParameters parameters(model);
  PageParameters page;
  const std::vector<Id> items{Id("new"), Id("a")};
  const std::vector<std::uint8_t> clicks{0, 0};
  parameters.find({Id("q"), items, clicks}, page);
  EXPECT_EQ(page.attraction, (std::vector<double>{0.25, 0.5}));
  parameters.find({Id("other"), items, clicks}, page);
  EXPECT_EQ(page.attraction, (std::vector<double>{0.25, 0.25}));
}

TEST(ModelFile, IsRefusedWithWhatIsWrong) {
  const auto refused = [](const std::string& json, const char* why) {
    try {
      parse_model(json, "m.json");
      ADD_FAILURE() << why;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused("[]", "m.json: not a model");
  refused("{", "m.json: line 1");
  refused(R"({"model":"dcn"})", "did you mean 'dcm'");
  refused(R"({"model":"dcm","method":"count","positions":1,"queries":[]})", "\"queries\" is empty");
  refused(R"({"model":"dcm","method":"count","positions":1,"queries":[{"query":"q","items":[
          {"item":"a","attraction":1.5}]}]})",
          "\"attraction\" is '1.5'");
  refused(R"({"model":"dcm","method":"count","positions":1,"queries":[{"query":"q","items":[]}]})",
          "has no \"termination\"");
  refused(R"({"model":"dctr","method":"count","positions":1,"queries":[{"query":"q","items":[
          {"item":"a","attraction":1},{"item":"a","attraction":1}]}]})",
          "item 'a' twice");
  refused(R"({"model":"dctr","method":"count","positions":1,"queries":[{"query":"","items":[]}]})",
          "not an id");
  refused(R"({"model":"dctr","method":"count","positions":0,"queries":[{"query":"q","items":[]}]})",
          "\"positions\" is '0'");
  refused(R"({"model":"dctr","method":"count","positions":1,"queries":[{"query":"q","items":[
          {"item":"a","attraction":0.5,"interval":[0.6,0.4]}]}]})",
          "ends before it begins");
  refused(R"({"model":"dctr","method":"count","positions":1,"queries":[{"query":"q","items":[
          {"item":"a","attraction":0.5,"unidentified":["satisfaction"]}]}]})",
          "not a probability of an item");
  refused(R"({"format":"dcmrank.model","version":2})", "later version");
  refused(R"({"format":"dcmrank.bounds"})", "not a model");
}

}  // namespace
}  // namespace dcmrank
