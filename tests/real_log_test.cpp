// The real sample of a Yandex log, which is not part of the project.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/prediction/cross_validation.h"
#include "dcmrank/prediction/scores.h"
#include "dcmrank/source/text_source.h"
#include "tests/places.h"

namespace dcmrank {
namespace {

// The plain way: a stream per line, strings and maps.
struct Recount {
  struct Page {
    std::string query;
    std::vector<std::string> items;
    std::set<std::string> clicked;
  };

  explicit Recount(const std::string& path) {
    std::ifstream file(path);
    std::string session;
    Page page;
    for (std::string line; std::getline(file, line);) {
      std::istringstream fields(line);
      std::string id;
      std::string time;
      std::string type;
      fields >> id >> time >> type;
      if (type == "Q") {
        finish(page);
        page = {};
        std::string region;
        fields >> page.query >> region;
        for (std::string item; fields >> item;) page.items.push_back(item);
      } else {
        std::string item;
        fields >> item;
        const bool was_shown = std::count(page.items.begin(), page.items.end(), item) > 0;
        if (!was_shown) ++not_shown;
        if (was_shown && !page.clicked.insert(item).second) ++repeated;
      }
    }
    finish(page);
  }

  void finish(const Page& page) {
    if (page.items.empty()) return;
    ++impressions;
    std::size_t last = 0;
    for (std::size_t k = 0; k < page.items.size(); ++k) {
      if (page.clicked.contains(page.items[k])) last = k + 1;
    }
    for (std::size_t k = 0; k < page.items.size(); ++k) {
      const bool click = page.clicked.contains(page.items[k]);
      if (last == 0 || k < last) shown[page.query][page.items[k]] += 1;
      clicked[page.query][page.items[k]] += click ? 1 : 0;
      clicks_at[k] += click ? 1 : 0;
    }
    if (last > 0) last_at[last - 1] += 1;
  }

  int impressions = 0;
  std::uint64_t not_shown = 0;
  std::uint64_t repeated = 0;
  std::map<std::string, std::map<std::string, double>> shown;
  std::map<std::string, std::map<std::string, double>> clicked;
  std::map<std::size_t, double> clicks_at;
  std::map<std::size_t, double> last_at;
};

LogStatistics read_real(const Needs& needs) {
  return collect(open_log({places::kRealLog}, kYandex2011), {2, true, {}}, needs);
}

TEST(RealLog, GivesTheModelOfAPlainRecount) {
  Recount recount(places::kRealLog);
  const LogStatistics read = read_real({});
  EXPECT_EQ(read.report.impressions, 35064U);
  EXPECT_EQ(recount.impressions, 35064);
  EXPECT_EQ(read.report.count(Skip::kClickNotShown), recount.not_shown);
  EXPECT_EQ(read.report.count(Skip::kRepeatedClick), recount.repeated);
  EXPECT_GT(recount.not_shown, 0U);
  EXPECT_GT(recount.repeated, 0U);
  EXPECT_EQ(read.report.lines,
            read.report.impressions + read.report.clicks + recount.not_shown + recount.repeated);
  FitOptions options;
  options.shared = true;
  const FittedModel fitted = fit(kDcmModel, make_sample(read.statistics, {}), options);
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_NEAR(find_list(fitted.lists, "termination").values[k],
                (recount.last_at.at(k) + 1) / (recount.clicks_at.at(k) + 2), 1e-12);
  }
  for (const FittedQuery& query : fitted.queries) {
    for (const FittedItem& item : query.items) {
      const double shown = recount.shown.at(query.query)[item.item];
      const double clicked = recount.clicked.at(query.query).at(item.item);
      EXPECT_NEAR(item.attraction, (clicked + 1) / (shown + 2), 1e-12);
    }
  }
  EXPECT_EQ(fitted.queries.size(), 20U);
}

// Every second session trains, the others test.
TEST(RealLog, IsForetoldBetterByEmThanByCounting) {
  std::ifstream file(places::kRealLog);
  std::string halves[2];
  std::size_t half = 1;
  for (std::string line; std::getline(file, line);) {
    if (line.find("\tQ\t") != std::string::npos) half = 1 - half;
    halves[half] += line + "\n";
  }
  for (std::size_t train = 0; train < 2; ++train) {
    Statistics statistics(Needs{true, false, 1'000'000});
    TextSource source(halves[train]);
    read_source(source, kYandex2011, statistics, false);
    const Sample sample = make_sample(statistics, {});
    double scores[2];
    for (const Method method : {Method::kCount, Method::kEm}) {
      FitOptions options;
      options.method = method;
      const FittedModel fitted = fit(kDcmModel, sample, options);
      const ModelParameters parameters(fitted);
      Scorer scorer(parameters);
      TextSource test(halves[1 - train]);
      read_source(test, kYandex2011, scorer, false);
      scores[static_cast<std::size_t>(method)] = scorer.scores().log_likelihood;
    }
    EXPECT_GT(scores[1], scores[0] + 0.005);
  }
}

// What docs/click-models.md says of this log: users leave after a skip, too.
TEST(RealLog, IsForetoldBestByModelsInWhichUsersMayLeaveAfterASkip) {
  const Log log = open_log({places::kRealLog}, kYandex2011);
  std::atomic<std::uint64_t> done = 0;
  CrossValidationOptions options;
  options.folds = 5;
  const CrossValidation result = cross_validate(
      {&kUbmModel, &kDbnModel, &kCcmModel, &kPbmModel, &kDcmModel}, log, {}, options,
      [](const char*, std::uint64_t) {}, done);
  const Comparison comparison = compare_models(result);
  EXPECT_EQ(comparison.rows[0].model, 0U);
  EXPECT_LT(comparison.rows[3].difference.mean, -0.01);
  for (const auto& model : result.models) EXPECT_TRUE(model.converged) << model.model->name;
}

}  // namespace
}  // namespace dcmrank
