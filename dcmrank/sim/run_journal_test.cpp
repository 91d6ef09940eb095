#include "dcmrank/sim/run_journal.h"

#include <filesystem>
#include <fstream>
#include <stop_token>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/effort_test.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/sim/report.h"

namespace dcmrank {
namespace {

class RunJournalTest : public ::testing::Test {
 protected:
  RunJournalTest()
      : path_(testing::TempDir() + "/" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".runs") {
    std::filesystem::remove(path_);
  }
  ~RunJournalTest() override { std::filesystem::remove(path_); }

  ExperimentOptions options(std::uint64_t runs = 4) const {
    return {.steps = 300, .runs = runs, .seed = 3, .threads = 2};
  }

  std::string result(RunJournal* journal, std::uint64_t runs = 4) const {
    auto results =
        compare(problem_, std::vector{parse_policy_spec("dcm-kl-ucb"), parse_policy_spec("dcm-ts")},
                options(runs), {}, journal);
    for (PolicyResult& one : results) one.ns_per_step = 0;
    return print_json(results_to_json(problem_, options(runs), results));
  }

  std::vector<std::string> lines() const {
    std::ifstream in(path_);
    std::vector<std::string> found;
    for (std::string line; std::getline(in, line);) found.push_back(line);
    return found;
  }

  void write(const std::string& text) const {
    std::ofstream out(path_, std::ios::trunc);
    out << text;
  }

  std::string why_not(const std::string& program, const ExperimentOptions& other) {
    try {
      const RunJournal journal(path_, program, problem_, other);
    } catch (const InputError& error) {
      return error.what();
    }
    return "opened";
  }

  std::string path_;
  Problem problem_ = make_dcm({.items = 8, .positions = 3, .p = .3, .gap = .2, .gamma = .5});
};

TEST_F(RunJournalTest, GivesWhatWasKeptToTheLastBit) {
  const std::string expected = result(nullptr);
  {
    RunJournal journal(path_, "this", problem_, options());
    EXPECT_EQ(result(&journal), expected);
  }
  EXPECT_EQ(lines().size(), 9U);  // a header, two policies of four runs
  RunJournal again(path_, "this", problem_, options());
  EXPECT_EQ(result(&again), expected);
  EXPECT_EQ(lines().size(), 9U);  // nothing was simulated again
}

TEST_F(RunJournalTest, TakesMoreRunsLater) {
  {
    RunJournal journal(path_, "this", problem_, options());
    result(&journal);
  }
  RunJournal again(path_, "this", problem_, options(6));
  EXPECT_EQ(result(&again, 6), result(nullptr, 6));
  EXPECT_EQ(lines().size(), 13U);
}

TEST_F(RunJournalTest, StartsOverWhereTheFirstLineWasCut) {
  { RunJournal journal(path_, "another build", problem_, options()); }
  const std::string whole = read_file(path_);
  write(whole.substr(0, whole.size() / 2));
  RunJournal journal(path_, "this", problem_, options());
  EXPECT_EQ(result(&journal), result(nullptr));
}

TEST_F(RunJournalTest, GoesOnFromAFileThatWasCutAnywhere) {
  const std::string expected = result(nullptr);
  {
    RunJournal journal(path_, "this", problem_, options());
    result(&journal);
  }
  const std::string whole = read_file(path_);
  for (std::size_t at = 0; at < whole.size(); at += effort<std::size_t>(97, 997)) {
    write(whole.substr(0, at));
    {
      RunJournal journal(path_, "this", problem_, options());
      ASSERT_EQ(result(&journal), expected) << at;
    }
    RunJournal journal(path_, "this", problem_, options());
    ASSERT_EQ(result(&journal), expected) << at;
  }
}

TEST_F(RunJournalTest, SimulatesAgainWhatIsDamaged) {
  {
    RunJournal journal(path_, "this", problem_, options());
    result(&journal);
  }
  auto all = lines();
  all[1] = R"({"policy":"dcm-kl-ucb","run":0,"curve":[1,2],"reward":1,"cpu_seconds":1})";
  all[2] = R"({"policy":7,"run":-1})";
  all[3] = "\x01\xff";
  std::string text;
  for (const std::string& line : all) text += line + "\n";
  write(text);
  RunJournal journal(path_, "this", problem_, options());
  EXPECT_EQ(result(&journal), result(nullptr));
}

TEST_F(RunJournalTest, RefusesAnotherSimulationAnotherBuildAndOtherFiles) {
  { const RunJournal journal(path_, "this", problem_, options()); }
  auto longer = options();
  longer.steps = 400;
  EXPECT_NE(why_not("this", longer).find("\"steps\" differs"), std::string::npos);
  EXPECT_NE(why_not("that", options()).find("another build"), std::string::npos);
  EXPECT_EQ(why_not("this", options()), "opened");
  for (const char* text : {"a letter to a friend", "a letter\nto a friend\n", "{}\n", "[1]\n"}) {
    write(text);
    EXPECT_NE(why_not("this", options()).find("not a file of finished runs"), std::string::npos);
    EXPECT_EQ(read_file(path_), text);  // and nothing of it is lost
  }
}

TEST_F(RunJournalTest, HasOneOwnerAtATime) {
  const RunJournal journal(path_, "this", problem_, options());
  EXPECT_NE(why_not("this", options()).find("in use"), std::string::npos);
}

}  // namespace
}  // namespace dcmrank
