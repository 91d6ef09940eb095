#include "dcmrank/grid/trial.h"

#include <atomic>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/sim/report.h"

namespace dcmrank {
namespace {

const Dcm kTrialDcm{{.6, .5, .4, .1, .9}, {.5, .1, .8}};

class TrialStoreTest : public ::testing::Test {
 protected:
  TrialStoreTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
  }
  ~TrialStoreTest() override { std::filesystem::remove_all(folder_); }

  TrialStore store(std::uint64_t seed = 1, const std::string& program = "this",
                   unsigned threads = 2) const {
    return {folder_, program, seed, threads};
  }

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    if (!std::filesystem::exists(folder_)) return found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      found.push_back(entry.path());
    }
    return found;
  }

  static void overwrite(const std::filesystem::path& file, const std::string& text) {
    AtomicFile target(file);
    target.write(text);
    target.commit();
  }

  std::filesystem::path folder_;
};

Trial trial(const std::string& policy = "dcm-ts") { return {kTrialDcm, policy, 200, 3}; }

std::string printed(PolicyResult result) {
  result.ns_per_step = 0;  // the only thing that differs between two equal calls
  return result_to_json(result).dump();
}

std::vector<std::string> printed(const TrialStore& store, const std::vector<Trial>& trials) {
  std::vector<std::string> all;
  for (PolicyResult& result : store.get(trials, {})) all.push_back(printed(std::move(result)));
  return all;
}

TEST_F(TrialStoreTest, KeepsAResultAndGivesTheSameAgain) {
  EXPECT_FALSE(store().has(trial()));
  const auto computed = store().get(std::vector{trial()}, {});
  EXPECT_TRUE(store().has(trial()));
  const auto kept = store().get(std::vector{trial()}, {});
  EXPECT_EQ(result_to_json(kept[0]), result_to_json(computed[0]));  // with its time: not run again
  EXPECT_EQ(kept[0].curve_per_run, computed[0].curve_per_run);
}

TEST_F(TrialStoreTest, ForgetsResultsAndNothingElse) {
  store().get(std::vector{trial()}, {});
  std::filesystem::create_directories(folder_ / "mine");
  overwrite(folder_ / "notes.json", "{}");
  overwrite(folder_ / "mine" / "thesis.txt", "all of it");
  forget_trials(folder_);
  EXPECT_FALSE(store().has(trial()));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "notes.json"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "mine" / "thesis.txt"));
  forget_trials(folder_ / "none");
}

TEST_F(TrialStoreTest, ContinuesWithWhatIsMissing) {
  const std::vector<Trial> all{trial(), trial("dcm-kl-ucb"), trial("first-click")};
  const auto expected = printed(TrialStore(folder_ / "other", "this", 1, 1), all);
  store().get(std::vector{all[1]}, {});
  const auto before = store().get(std::vector{all[1]}, {});
  EXPECT_EQ(printed(store(), all), expected);
  EXPECT_EQ(store().get(all, {})[1].ns_per_step, before[0].ns_per_step);
}

TEST_F(TrialStoreTest, GivesTheSameOnAnyNumberOfThreads) {
  const std::vector<Trial> all{trial(), trial("dcm-kl-ucb")};
  const auto one = printed(TrialStore(folder_ / "one", "this", 1, 1), all);
  EXPECT_EQ(printed(TrialStore(folder_ / "three", "this", 1, 3), all), one);
}

TEST_F(TrialStoreTest, ComputesAgainWhatIsDamaged) {
  const auto expected = printed(store(), {trial()});
  ASSERT_EQ(files().size(), 1U);
  const std::string whole = read_file(files()[0]);
  for (const std::string& damaged :
       {std::string(), std::string("[]"), whole.substr(0, whole.size() / 2),
        R"({"key":)" + nlohmann::ordered_json::parse(whole).at("key").dump() +
            R"(,"result":{}})"}) {
    overwrite(files()[0], damaged);
    EXPECT_FALSE(store().has(trial())) << damaged;
    EXPECT_EQ(printed(store(), {trial()}), expected);
    EXPECT_TRUE(store().has(trial()));
  }
}

TEST_F(TrialStoreTest, TellsApartWhateverAResultDependsOn) {
  store().get(std::vector{trial()}, {});
  EXPECT_TRUE(store(1, "this", 5).has(trial()));
  EXPECT_FALSE(store(2).has(trial()));
  EXPECT_FALSE(store(1, "another build").has(trial()));
  std::vector<Trial> others(8, trial());
  others[0].problem = Dcm{{.6, .5, .4, .1, .8}, {.5, .1, .8}};
  others[1].policy = "dcm-ts:order=learned";
  others[2].steps = 201;
  others[3].runs = 4;
  others[4].delay = 1;
  others[5].depths = {.5, 0, .5};
  others[6].curves_per_run = false;
  others[7].problem = parse_problem(
      R"({"model":"pbm","attraction":[0.6,0.5,0.4,0.1,0.9],"examination":[0.5,0.1,0.8]})", "p");
  for (const Trial& other : others) EXPECT_FALSE(store().has(other));
  store().get(others, {});
  EXPECT_EQ(files().size(), 9U);
  EXPECT_EQ(store().get(others, {})[6].curve_per_run.size(), 0U);
}

// A file under another key's name, as after a collision of the names' hashes.
TEST_F(TrialStoreTest, DoesNotTakeTheResultOfAnotherTrial) {
  store().get(std::vector{trial()}, {});
  const auto first = files()[0];
  store().get(std::vector{trial("dcm-kl-ucb")}, {});
  for (const auto& file : files()) {
    if (file != first) overwrite(file, read_file(first));
  }
  EXPECT_FALSE(store().has(trial("dcm-kl-ucb")));
}

TEST_F(TrialStoreTest, ComputesEqualTrialsOnce) {
  std::atomic<std::uint64_t> done = 0;
  const auto results = store().get(std::vector{trial(), trial()}, {{}, &done});
  EXPECT_EQ(result_to_json(results[0]), result_to_json(results[1]));
  EXPECT_EQ(done, 2 * trial().work());
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(TrialStoreTest, StopsWhenAskedToAndKeepsNoHalfResult) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(store().get(std::vector{trial()}, {stop.get_token(), nullptr}), Interrupted);
  EXPECT_TRUE(files().empty());
}

TEST_F(TrialStoreTest, RefusesAPolicyThatDoesNotExistBeforeTheWork) {
  EXPECT_THROW(store().get(std::vector{trial(), trial("dcm-xx")}, {}), InputError);
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace dcmrank
