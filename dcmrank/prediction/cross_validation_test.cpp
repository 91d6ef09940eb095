#include "dcmrank/prediction/cross_validation.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/made_up_test.h"
#include "dcmrank/log/format.h"
#include "dcmrank/prediction/generate.h"

namespace dcmrank {
namespace {

// A log of users of one model; three pages a session.
class ValidatedLog {
 public:
  ValidatedLog(const ClickModel& users, int impressions, const LogFormat& format) {
    std::string name = std::filesystem::temp_directory_path() / "dcmrank-folds-XXXXXX";
    ::close(::mkstemp(name.data()));
    path_ = name;
    const FittedModel truth = made_up(users, 3);
    LogGenerator generator(truth, RankingKind::kRandom, Rng(4));
    std::string text;
    for (int i = 0; i < impressions; ++i) {
      format.write(generator.next(), static_cast<std::uint64_t>(i / 3), text);
    }
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ValidatedLog() { std::filesystem::remove(path_); }
  ValidatedLog(const ValidatedLog&) = delete;
  ValidatedLog& operator=(const ValidatedLog&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

CrossValidation validate(const std::vector<const ClickModel*>& models, const Log& log,
                         unsigned threads, const CrossValidationOptions& options) {
  std::atomic<std::uint64_t> done = 0;
  return cross_validate(
      models, log, {threads, false, {}}, options, [](const char*, std::uint64_t) {}, done);
}

TEST(CrossValidation, FindsTheModelThatTheUsersFollow) {
  const ValidatedLog file(kUbmModel, 30000, kYandex2011);
  const Log log = open_log({file.path()}, kYandex2011);
  CrossValidationOptions options;
  options.folds = 5;
  const auto result =
      validate({&kDctrModel, &kPbmModel, &kUbmModel, &kCascadeModel}, log, 2, options);
  double sessions = 0;
  for (const Scores& fold : result.models[0].folds) sessions += fold.sessions;
  EXPECT_EQ(sessions, 30000);
  const Comparison comparison = compare_models(result);
  EXPECT_EQ(result.models[comparison.rows[0].model].model->name, "ubm");
  for (std::size_t r = 1; r < 4; ++r) EXPECT_TRUE(comparison.rows[r].told_apart) << r;
  EXPECT_FALSE(comparison.rows[0].told_apart);
  EXPECT_LT(comparison.rows[3].difference.mean, comparison.rows[1].difference.mean);
}

TEST(CrossValidation, DoesNotTellApartWhatPredictsTheSame) {
  const ValidatedLog file(kSdbnModel, 1500, kYandex2011);
  const Log log = open_log({file.path()}, kYandex2011);
  CrossValidationOptions options;
  options.folds = 4;
  // The DBN with its continuation estimated is the SDBN, but for chance.
  const Comparison comparison =
      compare_models(validate({&kSdbnModel, &kDbnModel}, log, 1, options));
  EXPECT_FALSE(comparison.rows[1].told_apart);
}

TEST(CrossValidation, DependsOnNeitherThreadsNorParts) {
  for (const LogFormat* format : {&kYandex2011, &kTsv}) {
    const ValidatedLog file(kDbnModel, 900, *format);
    CrossValidationOptions options;
    options.folds = 3;
    const auto scores = [&](unsigned threads) {
      const Log log = open_log({file.path()}, *format, 5000);
      EXPECT_GT(log.parts(), 2U);
      std::vector<double> values;
      for (const auto& model : validate({&kDbnModel, &kUbmModel}, log, threads, options).models) {
        for (const Scores& fold : model.folds) values.push_back(fold.log_likelihood);
      }
      return values;
    };
    EXPECT_EQ(scores(1), scores(3)) << format->name;
  }
}

TEST(CrossValidation, PutsAllPagesOfASessionInOneFold) {
  const ValidatedLog file(kDcmModel, 300, kYandex2011);
  struct Sessions : ImpressionSink {
    void add(const Impression& impression) override { keys.insert(impression.session); }
    std::set<std::uint64_t> keys;
  };
  const auto sessions = std::make_shared<Sessions>();
  read_log(open_log({file.path()}, kYandex2011), {1, false, {}},
           [&](std::size_t) { return sessions; });
  EXPECT_EQ(sessions->keys.size(), 100U);
  EXPECT_FALSE(sessions->keys.contains(0));
}

TEST(CrossValidation, DealsSessionsEvenlyAndAnewForEachSeed) {
  std::vector<int> sizes(4, 0);
  int same = 0;
  for (std::uint64_t session = 1; session <= 4000; ++session) {
    ++sizes[fold_of(session, 1, 4)];
    same += fold_of(session, 1, 4) == fold_of(session, 2, 4) ? 1 : 0;
  }
  for (const int size : sizes) EXPECT_NEAR(size, 1000, 110);  // four standard deviations
  EXPECT_NEAR(same, 1000, 110);
}

TEST(CrossValidation, RefusesAnEmptyFold) {
  const ValidatedLog file(kDcmModel, 6, kYandex2011);
  CrossValidationOptions options;
  options.folds = 20;
  EXPECT_THROW(validate({&kDcmModel}, open_log({file.path()}, kYandex2011), 1, options),
               InputError);
}

}  // namespace
}  // namespace dcmrank
