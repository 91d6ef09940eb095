// Estimators of others may give anything: what no file can hold is refused where it comes in, and
// what is accepted is read back from both kinds of files.
#include "dcmrank/click_model/fitted_check.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/fit/fit_attraction.h"
#include "dcmrank/model_file/compact_model.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/prediction/generate.h"

namespace dcmrank {
namespace {

using Spoil = std::function<void(FittedModel&)>;

Spoil& spoil() {
  static Spoil one;
  return one;
}

FittedModel fit_careless(const Sample& sample, const FitOptions& options) {
  FittedModel fitted = fit_attraction(sample, options.prior, [](const ItemCounts& counts) {
    return Counts{counts.impressions, counts.prefix.attracted};
  });
  for (FittedQuery& query : fitted.queries) {
    for (FittedItem& item : query.items) item.parameters = {0.5};
    query.lists["own"].values = {0.5, 0.25};
    query.lists["steps"].values = {0.5, 0.25, 0.125};
  }
  fitted.lists["all"].values = {0.5, 0.25};
  fitted.lists["many"].values.assign(300, 0.5);
  if (spoil()) spoil()(fitted);
  return fitted;
}

const ClickModel& careless() {
  static const ClickModel* const model = [] {
    ClickModel made;
    made.name = "careless";
    made.summary = "made up by a test";
    made.items = {"looks"};
    made.lists = {{.name = "own", .scope = Scope::kPerQuery, .unidentified = "unknown"},
                  {.name = "steps", .scope = Scope::kPerQuery, .shape = ListShape::kTriangle},
                  {.name = "all"},
                  {.name = "many",
                   .shape = ListShape::kNumbers,
                   .numbers = 300,
                   .unidentified = "unknown of many"}};
    made.full = [](const PageParameters& page, std::span<double> p) {
      for (std::size_t k = 0; k < p.size(); ++k) p[k] = page.attraction[k];
    };
    made.conditional = [](const PageParameters& page, Clicks, std::span<double> p) {
      for (std::size_t k = 0; k < p.size(); ++k) p[k] = page.attraction[k];
    };
    made.fit = fit_careless;
    add_click_model(made);
    return &click_model("careless", "the test");
  }();
  return *model;
}

FittedModel fit_spoilt(const Spoil& how) {
  const FittedModel source = model_of({{0.7, 0.5, 0.3}, {0.6, 0.4}});
  LogGenerator pages(source, RankingKind::kRandom, Rng(5));
  Statistics statistics;
  for (int i = 0; i < 100; ++i) statistics.add(pages.next());
  const ClickModel& model = careless();
  spoil() = how;
  return fit(model, make_sample(statistics, {}), {});
}

std::string refusal_of(const Spoil& how) {
  try {
    fit_spoilt(how);
  } catch (const InputError& error) {
    const std::string begin = "the estimator of the model 'careless': ";
    const std::string message = error.what();
    return message.starts_with(begin) ? message.substr(begin.size()) : "unnamed: " + message;
  }
  return "accepted";
}

Spoil item(std::function<void(FittedItem&)> how) {
  return [how = std::move(how)](FittedModel& model) { how(model.queries[0].items[0]); };
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(Estimates, OfItemsAreRefusedWhereNoFileCanHoldThem) {
  const auto refused = [](const std::function<void(FittedItem&)>& how, const std::string& why) {
    const std::string message = refusal_of(item(how));
    EXPECT_EQ(message.find("query '1': item '"), 0U) << message;
    EXPECT_TRUE(message.ends_with(why)) << message;
  };
  refused([](FittedItem& i) { i.attraction = kNan; },
          "\"attraction\" is nan, not a number from 0 to 1");
  refused([](FittedItem& i) { i.attraction = -1e-9; },
          "\"attraction\" is -1e-09, not a number from 0 to 1");
  refused([](FittedItem& i) { i.shown = kInfinite; },
          "\"shown\" is inf, not a number from 0 to 9007199254740992");
  refused([](FittedItem& i) { i.clicked = -1; },
          "\"clicked\" is -1, not a number from 0 to 9007199254740992");
  refused([](FittedItem& i) { i.impressions = 1e300; },
          "\"impressions\" is 1e+300, not a number from 0 to 9007199254740992");
  refused([](FittedItem& i) { i.shown = 1, i.clicked = 2; },
          "has \"clicked\" 2, above \"shown\", 1");
  refused([](FittedItem& i) { i.parameters.clear(); },
          "it has 0 parameters, where the model has 1");
  refused([](FittedItem& i) { i.parameters = {1.5}; },
          "\"looks\" is 1.5, not a number from 0 to 1");
  refused([](FittedItem& i) { i.unidentified = {"look"}; },
          "\"unidentified\": 'look' is not a probability of an item");
  refused([](FittedItem& i) { i.interval = {0.5, 0.25}; }, "\"interval\" ends before it begins");
  refused(
      [](FittedItem& i) {
        i.interval = {0.5, 2};
      },
      "\"interval[1]\" is 2, not a number from 0 to 1");
  refused([](FittedItem& i) { i.item = ""; }, "not an id of 1 to 1024 bytes without NUL");
  refused([](FittedItem& i) { i.item = "\xff"; }, "not an id of 1 to 1024 bytes without NUL");
}

TEST(Estimates, OfListsAreRefusedWhereNoFileCanHoldThem) {
  const auto shared = [](const char* name, std::vector<double> values) {
    return refusal_of([=](FittedModel& m) { m.lists[name].values = values; });
  };
  const auto own = [](const char* name, std::vector<double> values) {
    return refusal_of([=](FittedModel& m) { m.queries[0].lists[name].values = values; });
  };
  EXPECT_EQ(shared("all", {0.5, kNan}), "\"all[1]\" is nan, not a number from 0 to 1");
  EXPECT_EQ(shared("all", {0.5}), "\"all\" has 1 entries for 2 positions, which have 2");
  EXPECT_EQ(shared("all", {}), "\"all\" is missing");
  EXPECT_EQ(shared("many", {0.5}), "\"many\" has 1 entries for 2 positions, which have 300");
  EXPECT_EQ(shared("al", {0.5}), "\"al\" is no list of the model");
  EXPECT_EQ(own("own", {2, 0.5}), "query '1': \"own[0]\" is 2, not a number from 0 to 1");
  EXPECT_EQ(own("own", {0.1, 0.1, 0.1}),
            "query '1': \"own\" has 3 entries for 2 positions, which have 2");
  EXPECT_EQ(own("own", {}), "query '1' has no \"own\"");
  EXPECT_EQ(own("steps", {0.5, 0.5}),
            "query '1': \"steps\" has 2 entries for 2 positions, which have 3");
  EXPECT_EQ(own("all", {0.5, 0.5}),
            "query '1': \"all\" is shared by all queries: none has its own");
  EXPECT_EQ(refusal_of([](FittedModel& m) { m.lists["many"].unidentified = {301}; }),
            "\"many\" has no entry 301, which is said to be unidentified");
}

TEST(Estimates, OfQueriesAreRefusedWhereNoFileCanHoldThem) {
  EXPECT_EQ(refusal_of([](FittedModel& m) { m.queries.clear(); }), "\"queries\" is empty");
  EXPECT_EQ(refusal_of([](FittedModel& m) { m.queries.push_back(m.queries[0]); }),
            "query '1' occurs twice");
  EXPECT_EQ(refusal_of([](FittedModel& m) { m.queries[0].query = ""; }),
            "query '': '', not an id of 1 to 1024 bytes without NUL");
  EXPECT_EQ(refusal_of([](FittedModel& m) { m.queries[0].impressions = kNan; }),
            "query '1': \"impressions\" is nan, not a number from 0 to 9007199254740992");
  EXPECT_EQ(refusal_of([](FittedModel& m) {
              auto& items = m.queries[0].items;
              items[1].item = items[0].item;
            }).substr(0, 17),
            "query '1': item '");
  EXPECT_EQ(refusal_of([](FittedModel& m) {
              m.em = {{-1}, {-kInfinite}, 0, true};
            }),
            "\"em\": a likelihood is -inf");
}

TEST(Estimates, ThatAreAcceptedAreReadBackFromBothKindsOfFiles) {
  for (const Spoil& how : std::vector<Spoil>{
           {},
           [](FittedModel& m) {
             m.lists["many"].unidentified = {1, 300};
           },
           [](FittedModel& m) {
             m.lists["own"].values = {0.5, 1}, m.queries[0].lists.erase("own");
           },
           [](FittedModel& m) {
             m.queries[0].lists["own"] = {{0.5}, {1}};
           },
           [](FittedModel& m) { m.queries[0].lists["steps"].values = {0.5}; },
           [](FittedModel& m) { m.queries[0].items.clear(); },
           [](FittedModel& m) {
             m.em = {{-2, -1}, {-3, -1}, 1e-9, true};
           },
           item([](FittedItem& i) {
             i.unidentified = {"attraction", "looks"};
           }),
           item([](FittedItem& i) { i.attraction = 5e-324, i.shown = i.clicked = 0x1p53; }),
           item([](FittedItem& i) {
             i.interval = {0, 1};
           }),
       }) {
    const FittedModel before = fit_spoilt(how);
    for (const std::string& file : {print_model(before), print_compact(before)}) {
      const FittedModel after = parse_model(file, "file");
      EXPECT_EQ(after.queries, before.queries);
      EXPECT_EQ(after.lists, before.lists);
      EXPECT_EQ(print_model(after), print_model(before));
    }
  }
}

TEST(AddedClickModel, HasNamesThatFilesCanHold) {
  const auto refusal = [](const std::function<void(ClickModel&)>& change) {
    ClickModel model = careless();
    model.name = "other";
    change(model);
    try {
      add_click_model(model);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal([](ClickModel& m) { m.items = {"a\"b"}; }),
            "click model 'other': no file can hold a parameter of the name 'a\"b'");
  EXPECT_EQ(refusal([](ClickModel& m) { m.lists[0].unidentified = "a\\b"; }),
            "click model 'other': no file can hold a parameter of the name 'a\\b'");
  EXPECT_EQ(refusal([](ClickModel& m) {
              for (int n = 0; n < 63; ++n) m.items.push_back("p" + std::to_string(n));
            }),
            "click model 'other': items have more than 62 parameters");
}

}  // namespace
}  // namespace dcmrank
