#include "dcmrank/sweep/plan.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

const std::string kTop = "policies = ['dcm-kl-ucb']\nsteps = 100\nruns = 2\n";
const std::string kClass =
    "[[problems]]\nclass = 'lb'\nL = 16\nK = 4\np = 0.2\ngap = 0.15\ngamma = 0.5\n";

std::string why_not(const std::string& text) {
  try {
    parse_sweep(text, "s.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "parsed";
}

std::vector<std::string> names(const SweepPlan& plan) {
  std::vector<std::string> result;
  for (const SweepProblem& one : plan.problems) result.push_back(one.name);
  return result;
}

TEST(SweepPlan, CrossesTheParametersOfAClass) {
  const SweepPlan plan = parse_sweep(
      "policies = ['dcm-kl-ucb', 'dcm-ts']\nsteps = [100, 1e3]\nruns = 2\nseed = 9\n"
      "[[problems]]\nclass = 'lb'\nL = [8, 16]\nK = 4\np = 0.2\ngap = 0.1\n"
      "gamma = { from = 0.1, to = 0.3, by = 0.1 }\n",
      "s.toml");
  EXPECT_EQ(names(plan),
            (std::vector<std::string>{
                "lb:L=8,K=4,p=0.2,gap=0.1,gamma=0.1", "lb:L=8,K=4,p=0.2,gap=0.1,gamma=0.2",
                "lb:L=8,K=4,p=0.2,gap=0.1,gamma=0.3", "lb:L=16,K=4,p=0.2,gap=0.1,gamma=0.1",
                "lb:L=16,K=4,p=0.2,gap=0.1,gamma=0.2", "lb:L=16,K=4,p=0.2,gap=0.1,gamma=0.3"}));
  EXPECT_EQ(plan.steps, (std::vector<std::uint64_t>{100, 1000}));
  EXPECT_EQ(plan.cells(), 24U);
  EXPECT_EQ(plan.seed, 9U);
}

TEST(SweepPlan, TellsProblemsOfOneNameApartByWhatTheyDifferIn) {
  const auto names_of_random = [](const std::string& parts) {
    return names(parse_sweep(kTop + "[[problems]]\nrandom = 'ubm'\ncount = 1\n" + parts, "s.toml"));
  };
  EXPECT_EQ(names_of_random("L = [10, 12]\nK = [3, 5]\n"),
            (std::vector<std::string>{"ubm-1 (L = 10, K = 3)", "ubm-1 (L = 10, K = 5)",
                                      "ubm-1 (L = 12, K = 3)", "ubm-1 (L = 12, K = 5)"}));
  EXPECT_EQ(names_of_random("K = [3, 5]\n"),
            (std::vector<std::string>{"ubm-1 (K = 3)", "ubm-1 (K = 5)"}));
  const std::string again = "[[problems]]\nrandom = 'ubm'\ncount = 1\nL = 9\nK = 3\n";
  EXPECT_EQ(names_of_random("L = 9\nK = 3\n" + again + "seed = 2\n"),
            (std::vector<std::string>{"ubm-1 (world_seed = 1)", "ubm-1 (world_seed = 2)"}));
  EXPECT_EQ(names_of_random("L = 9\nK = 3\n" + again + "attraction = [0.1, 0.2]\n"),
            (std::vector<std::string>{"ubm-1", "ubm-1 (2)"}));
}

TEST(SweepPlan, DrawsProblemsOfAStatedSizeAtRandom) {
  const SweepPlan plan =
      parse_sweep(kTop +
                      "[[problems]]\nrandom = 'ubm'\ncount = 2\nseed = 7\nL = [10, 40]\nK = 5\n"
                      "attraction = [0.1, 0.2]\n",
                  "s.toml");
  ASSERT_EQ(plan.problems.size(), 4U);
  EXPECT_EQ(names(plan), (std::vector<std::string>{"ubm-1 (L = 10)", "ubm-2 (L = 10)",
                                                   "ubm-1 (L = 40)", "ubm-2 (L = 40)"}));
  EXPECT_EQ(plan.problems[0].problem.items(), 10U);
  EXPECT_EQ(plan.problems[3].problem.items(), 40U);
  EXPECT_EQ(plan.problems[3].problem.positions(), 5U);
}

TEST(SweepPlan, DrawsProblemsOfSeveralKinds) {
  const SweepPlan plan =
      parse_sweep(kTop + "[[problems]]\nrandom = ['dcm', 'ubm']\ncount = 2\n", "s.toml");
  EXPECT_EQ(names(plan), (std::vector<std::string>{"dcm-1", "dcm-2", "ubm-1", "ubm-2"}));
}

TEST(SweepPlan, TellsRewardsOfOneWorldApartByThem) {
  const std::string world = "[[problems]]\nrandom = 'dbn'\ncount = 1\n";
  EXPECT_EQ(names(parse_sweep(kTop + world + world + "reward = 'clicks'\n", "s.toml")),
            (std::vector<std::string>{"dbn-1 (satisfaction)", "dbn-1 (clicks)"}));
}

TEST(SweepPlan, FindsFilesFromItsOwnFolder) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "sweep_plan_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "small.json") << R"({"attraction":[0.6,0.5,0.4],"termination":[0.5,0.1]})";
  const SweepPlan plan =
      parse_sweep(kTop + "[[problems]]\nfiles = 'small.json'\n", (folder / "s.toml").string());
  EXPECT_EQ(names(plan), std::vector<std::string>{"small"});
  std::filesystem::remove_all(folder);
}

TEST(SweepPlan, SaysWhereWhatIsWrong) {
  const auto expect = [](const std::string& text, const std::string& part) {
    const std::string why = why_not(text);
    EXPECT_NE(why.find(part), std::string::npos) << why << "\n instead of " << part;
    EXPECT_EQ(why.find('\n'), std::string::npos) << why;
    EXPECT_EQ(why.find("s.toml:"), why.rfind("s.toml:")) << why;  // its place once
  };
  expect("", "s.toml:1:1: the file is empty");
  expect(kClass, "s.toml: \"policies\" is missing");
  expect(kTop, "s.toml: \"problems\" is missing");
  expect(kTop + "problems = []\n", "one or more tables [[problems]]");
  expect(kTop + "polices = 1\n" + kClass, "s.toml:4:1: a sweep has no 'polices' (did you mean");
  expect(kTop + "[[problems]]\nL = 3\n", "needs one of class, files, model, random");
  expect(kTop + kClass + "random = 'ubm'\n", "has \"class\" or \"random\", not both");
  expect(kTop + kClass + "delta = 1\n", "has no 'delta'");
  expect(kTop + "[[problems]]\nclass = 'lb'\nL = 16\n", "the problems have no \"K\"");
  expect(kTop + "[[problems]]\nclass = 'lb'\nL = 16\np = 0.1\n",
         ": the problems have no \"K\", \"gap\", \"gamma\"");
  expect(kTop + kClass + kClass,
         "s.toml:12:1: lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5 is in the grid twice");
  expect(kTop + "[[problems]]\nclass = 'lx'\n", "s.toml:5:1: class is 'lx', not one of lb");
  expect("policies = 'dcm-kl-ucbx'\nsteps = 1\nruns = 1\n" + kClass, "did you mean 'dcm-kl-ucb'");
  expect("policies = []\nsteps = 1\nruns = 1\n" + kClass, "policies is an empty list");
  expect("policies = ['dcm-ts','dcm-ts']\nsteps = 1\nruns = 1\n" + kClass, "has 'dcm-ts' twice");
  expect("policies = 'dcm-ts'\nsteps = 0\nruns = 1\n" + kClass, "steps is 0, not from 1 to");
  expect("policies = 'dcm-ts'\nsteps = 1.5\nruns = 1\n" + kClass, "not a whole number");
  expect("policies = 'dcm-ts'\nsteps = nan\nruns = 1\n" + kClass, "steps is nan");
  expect("policies = 'dcm-ts'\nsteps = 1\nruns = [1, 2]\n" + kClass, "where one is needed");
  expect(kTop + "[[problems]]\nclass = 'lb'\nL = 16\nK = 20\np = 0.2\ngap = 0.1\ngamma = 1\n",
         "s.toml:5:1: K is 20 and L is 16");
  expect(kTop + "[[problems]]\nrandom = [1]\ncount = 1\n", "is a whole number, not a text");
  expect(kTop + "[[problems]]\nclass='lb'\nL={from=1,to=1e9,by=1}\nK=1\np=1\ngap=1\ngamma=1\n",
         "more than 100000 values");
  expect(kTop + "[[problems]]\nclass='lb'\nL={from=1,to=9}\nK=1\np=1\ngap=1\ngamma=1\n",
         "needs one of \"by\" and \"count\"");
  expect(kTop + "[[problems]]\nfiles = 'none.json'\n", "none.json");
  expect(kTop + "[[problems]]\nrandom = 'umb'\ncount = 1\n", "did you mean 'ubm'");
  expect(kTop + "[[problems]]\nrandom = 'ubm'\ncount = 1\nL = 5\n", "give K");
  expect(kTop + "[[problems]]\nrandom = 'ubm'\ncount = 1\nK = 40\n", "give L");
  expect(kTop + "[[problems]]\nmodel = 'm.json'\n", "needs one of \"top\" and \"queries\"");
  expect(kTop + kClass + "reward = 'satisfied'\n", "s.toml:5:1: reward: \"reward\" is 'satisfied'");
  expect(kTop + "problems = 3\n", "is a whole number, not one or more tables");
}

}  // namespace
}  // namespace dcmrank
