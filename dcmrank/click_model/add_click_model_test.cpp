// A click model that nothing but this file knows, taken through everything that works on models.
#include <algorithm>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/fit_attraction.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/prediction/generate.h"
#include "dcmrank/prediction/scores.h"

namespace dcmrank {
namespace {

// Users examine a position by a chance that depends on it and on the position above (a triangle, of
// which the last entry of a row is used), fade by one shared number, and like an item's looks.
void full(const PageParameters& page, std::span<double> p) {
  const double fade = page.lists[1][0];
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double row_end = page.lists[0][(k + 1) * (k + 2) / 2 - 1];
    p[k] = examined * row_end * page.attraction[k] * page.items[0][k];
    examined *= fade;
  }
}

void conditional(const PageParameters& page, Clicks /*clicks*/, std::span<double> p) {
  full(page, p);
}

FittedModel fit_made_up(const Sample& sample, const FitOptions& options) {
  FittedModel fitted = fit_attraction(sample, options.prior, [](const ItemCounts& counts) {
    return Counts{counts.impressions, counts.prefix.attracted};
  });
  double looks = 0.5;
  for (FittedQuery& query : fitted.queries) {
    for (FittedItem& item : query.items) {
      item.parameters = {looks = std::min(1.0, looks + 0.01)};
    }
  }
  auto& table = fitted.lists["examination"].values;
  for (std::size_t n = 0; n < sample.positions * (sample.positions + 1) / 2; ++n) {
    table.push_back(1 / static_cast<double>(n + 1));
  }
  fitted.lists["fade"].values = {0.75};
  fitted.lists["weights"].values = {0.25, 0.5, 1};
  return fitted;
}

ClickModel made_up(const std::string& name) {
  ClickModel model;
  model.name = name;
  model.summary = "made up by a test";
  model.items = {"looks"};
  model.lists = {{.name = "examination", .shape = ListShape::kTriangle},
                 {.name = "fade", .shape = ListShape::kNumbers, .numbers = 1},
                 {.name = "weights", .shape = ListShape::kNumbers, .numbers = 3}};
  model.full = full;
  model.conditional = conditional;
  model.fit = fit_made_up;
  return model;
}

// Registered once for all tests of this program.
const ClickModel& registered() {
  static const bool once = [] {
    add_click_model(made_up("made-up"));
    return true;
  }();
  EXPECT_TRUE(once);
  return click_model("made-up", "the test");
}

FittedModel fitted() {
  const FittedModel source = model_of({{0.7, 0.5, 0.3}, {0.6, 0.4}});
  LogGenerator pages(source, RankingKind::kRandom, Rng(5));
  Statistics statistics;
  for (int i = 0; i < 100; ++i) statistics.add(pages.next());
  return fit(registered(), make_sample(statistics, {}), {});
}

TEST(AddedClickModel, IsWrittenAndReadBackWithItsParameters) {
  const FittedModel before = fitted();
  const std::string file = print_model(before);
  EXPECT_NE(file.find(R"("examination": [[1.0],[0.5,0.3333333333333333]],)"), std::string::npos)
      << file;
  EXPECT_NE(file.find(R"("fade": 0.75,)"), std::string::npos) << file;
  EXPECT_NE(file.find(R"("weights": [0.25,0.5,1.0],)"), std::string::npos) << file;
  EXPECT_NE(file.find(R"("looks": 0.51,)"), std::string::npos) << file;
  const FittedModel after = parse_model(file, "file");
  EXPECT_EQ(after.queries, before.queries);
  EXPECT_EQ(after.lists, before.lists);
  EXPECT_EQ(print_model(after), file);
}

TEST(AddedClickModel, IsRefusedInAFileThatLacksItsParameters) {
  const std::string file = print_model(fitted());
  const auto refusal_without = [&](const std::string& member, const std::string& otherwise) {
    std::string changed = file;
    changed.replace(changed.find(member), member.size(), otherwise);
    try {
      parse_model(changed, "m");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal_without("\"fade\"", "\"fad\""), "m: \"fade\" is missing");
  EXPECT_EQ(refusal_without("\"looks\"", "\"look\""), "m: \"looks\" is missing");
  EXPECT_EQ(refusal_without("0.75", "1.75"), "m: \"fade\" is '1.75', not a number from 0 to 1");
  EXPECT_EQ(refusal_without("[0.25,0.5,1.0]", "[0.25,0.5]"), "m: \"weights\" has 2 entries, not 3");
  EXPECT_EQ(refusal_without("[1.0],", "[],"),
            "m: row 1 of \"examination\" is not an array of 1 numbers");
}

TEST(AddedClickModel, IsScoredAndMakesLogs) {
  const FittedModel model = fitted();
  const ModelParameters parameters(model);
  Scorer scorer(parameters);
  LogGenerator generator(model, RankingKind::kOptimal, Rng(7));
  for (int i = 0; i < 200; ++i) scorer.add(generator.next());
  EXPECT_EQ(scorer.scores().sessions, 200);
  EXPECT_LT(scorer.scores().perplexity, 2);
}

// Two positions more than training had: their entries of the table are the prior's mean.
TEST(AddedClickModel, IsGivenListsAsLongAsThePageNeeds) {
  const FittedModel model = fitted();
  const ModelParameters parameters(model);
  const std::vector<Id> items{Id("1"), Id("2"), Id("3"), Id("new")};
  const std::vector<std::uint8_t> clicks(4);
  PageParameters page;
  parameters.find({Id("1"), items, clicks}, page);
  ASSERT_EQ(page.lists.size(), 3U);
  EXPECT_EQ(page.lists[0].size(), 10U);
  EXPECT_EQ(page.lists[0][2], 1.0 / 3);
  EXPECT_EQ(page.lists[0][3], 0.5);
  EXPECT_EQ(page.lists[2], (std::vector<double>{0.25, 0.5, 1}));
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items[0][3], 0.5);
  EXPECT_NEAR(expected_reward(registered(), page), expected_clicks(registered(), page), 0);
}

TEST(AddedClickModel, NeedsANameOfItsOwnAndAWholeDefinition) {
  registered();
  const auto refusal = [](const ClickModel& model) {
    try {
      add_click_model(model);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal(made_up("dcm")), "click model 'dcm': there is already one of that name");
  EXPECT_EQ(refusal(made_up("made-up")),
            "click model 'made-up': there is already one of that name");
  EXPECT_EQ(refusal(made_up("")), "click model '': it has no name");
  EXPECT_NE(refusal(made_up("a b/c")).find("its name cannot be typed"), std::string::npos);
  ClickModel model = made_up("other");
  model.items = {"clicked"};
  EXPECT_EQ(refusal(model), "click model 'other': the parameter name 'clicked' is already taken");
  model = made_up("other");
  model.fit = nullptr;
  EXPECT_NE(refusal(model).find("it needs full, conditional, fit"), std::string::npos);
  EXPECT_THROW(click_model("other", "--model"), InputError);
}

TEST(AddedClickModel, IsFittedByItsOwnMethodsOnly) {
  FitOptions options;
  options.method = Method::kEm;
  EXPECT_THROW(fit(registered(), Sample{}, options), InputError);
}

TEST(ClickModel, RewardsAPageByItsSatisfiedUsersWhereItKnowsThemElseByClicks) {
  for (const ClickModel* builtin : {&kDcmModel, &kSdbnModel, &kPbmModel}) {
    PageParameters page{{0.5, 0.5}, {}, {}};
    page.items.assign(builtin->items.size(), {0.5, 0.5});
    page.lists.assign(builtin->lists.size(), {0.5, 0.5});
    const double reward = expected_reward(*builtin, page);
    const double satisfied = 1 - 0.75 * 0.75;
    EXPECT_DOUBLE_EQ(reward, builtin->satisfaction != nullptr ? satisfied : 0.5);
  }
}

}  // namespace
}  // namespace dcmrank
