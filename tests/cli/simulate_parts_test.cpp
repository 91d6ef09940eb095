#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "command_test.h"
#include "dcmrank/base/effort_test.h"

namespace dcmrank::testing {
namespace {

const std::string kSplitProblem = "simulate --problem lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5 ";
const std::string kSplitPolicies = "--policy dcm-kl-ucb --policy dcm-ts ";

/// Simulations that are computed in parts, or in several sittings.
class SimulateParts : public CommandTest {
 protected:
  nlohmann::ordered_json timeless(const std::string& name) const {
    auto result = nlohmann::ordered_json::parse(content(name));
    for (auto& policy : result["policies"]) policy.erase("ns_per_step");
    return result;
  }

  std::size_t lines(const std::string& name) const {
    if (!std::filesystem::exists(folder() / name)) return 0;
    const std::string text = content(name);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(SimulateParts, AreMergedIntoTheBytesOfTheWhole) {
  const std::string what = kSplitProblem + kSplitPolicies + "--steps 400 ";
  ASSERT_EQ(dcmrank(what + "--runs 6 --json whole.json --csv whole.csv").status, 0);
  ASSERT_EQ(dcmrank(what + "--runs 2 --first-run 0 --json a.json").status, 0);
  ASSERT_EQ(dcmrank(what + "--runs 3 --first-run 2 --json b.json").status, 0);
  ASSERT_EQ(dcmrank(what + "--runs 1 --first-run 5 --json c.json").status, 0);
  const Outcome merged =
      dcmrank("merge c.json a.json b.json --json merged.json --csv merged.csv --runs-csv runs.csv");
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(timeless("merged.json"), timeless("whole.json"));
  EXPECT_EQ(content("merged.csv"), content("whole.csv"));
  EXPECT_NE(merged.out.find("400 steps, 6 runs, seed 1"), std::string::npos) << merged.out;
  ASSERT_EQ(dcmrank(what + "--runs 6 --runs-csv whole_runs.csv").status, 0);
  EXPECT_EQ(content("runs.csv"), content("whole_runs.csv"));
}

TEST_F(SimulateParts, ThatDoNotBelongTogetherAreRefused) {
  const std::string what = kSplitProblem + kSplitPolicies + "--steps 50 --runs 2 ";
  ASSERT_EQ(dcmrank(what + "--first-run 0 --json a.json").status, 0);
  ASSERT_EQ(dcmrank(what + "--first-run 4 --json b.json").status, 0);
  ASSERT_EQ(dcmrank(what + "--first-run 2 --seed 7 --json c.json").status, 0);
  ASSERT_EQ(dcmrank(what + "--json whole.json").status, 0);
  file("other.json", "{\"format\":\"dcmrank.arena\"}");
  file("cut.json", content("a.json").substr(0, 300));
  refuses("merge a.json b.json", {"no part has runs 2 to 3"});
  refuses("merge a.json a.json", {"PARTS: a.json is given twice"});
  refuses("merge a.json ./a.json", {"PARTS: ./a.json is given twice"});
  file("copy.json", content("a.json"));
  refuses("merge a.json copy.json", {"run 0 is in a.json and in copy.json"});
  file("1.counts", "dcmrank.counts\t1\n");
  refuses("merge a.json 1.counts", {"1.counts: ", "another file of dcmrank (dcmrank.counts)"});
  for (const std::string option :
       {"--first-run", "--delay", "--depth", "--resume", "--save-policies", "--load"}) {
    refuses_empty(kSplitProblem + kSplitPolicies + "--steps 10 " + option);
  }
  refuses("merge a.json c.json", {"c.json", "\"seed\" differs"});
  refuses("merge whole.json", {"whole.json", "--first-run"});
  refuses("merge other.json", {"other.json", "dcmrank.simulation"});
  refuses("merge cut.json", {"cut.json"});
  refuses("merge none.json", {"none.json", "No such file"});
  refuses("merge", {"PARTS is required"});
  refuses("merge a.json --json a.json", {"a.json"});
  refuses(what + "--first-run -1", {"--first-run is '-1'"});
}

TEST_F(SimulateParts, GoOnAfterAKill) {
  const std::string what = kSplitProblem + kSplitPolicies +
                           fmt::format("--steps {} --runs 10 --threads 2 ", effort(200000, 20000));
  ASSERT_EQ(dcmrank(what + "--json whole.json").status, 0);
  for (const int signal : {SIGKILL, SIGINT, SIGKILL}) {
    const std::size_t before = lines("kept.runs");
    Process process(command(what + "--resume kept.runs --json resumed.json"), folder());
    while (process.running() && lines("kept.runs") < before + 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    process.signal(signal);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.status, 128 + signal);
    if (signal == SIGINT) {
      EXPECT_EQ(outcome.err,
                fmt::format("dcmrank: note: {} of 20 runs are kept from before in kept.runs\n"
                            "dcmrank: interrupted; the same command resumes from kept.runs\n",
                            before - 1));
    }
  }
  EXPECT_LT(lines("kept.runs"), 21U);
  const Outcome outcome = dcmrank(what + "--resume kept.runs --json resumed.json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(timeless("resumed.json"), timeless("whole.json"));
  // Asked again, nothing is simulated, and timings are those of the runs.
  const Outcome again = dcmrank(what + "--resume kept.runs --json again.json");
  ASSERT_EQ(again.status, 0);
  EXPECT_EQ(again.err, "dcmrank: note: 20 of 20 runs are kept from before in kept.runs\n");
  EXPECT_EQ(content("again.json"), content("resumed.json"));
}

TEST_F(SimulateParts, DoNotGoOnWithTheRunsOfOthers) {
  const std::string what = kSplitProblem + kSplitPolicies + "--runs 2 --resume kept.runs ";
  ASSERT_EQ(dcmrank(what + "--steps 50").status, 0);
  refuses(what + "--steps 60",
          {"kept.runs", "\"steps\" differs", "--save-policies and then --load"});
  refuses(what + "--steps 50 --seed 4", {"kept.runs", "\"seed\" differs"});
  refuses(what + "--steps 50 --json kept.runs", {"kept.runs"});
  file("kept.runs", "a letter\n");
  refuses(what + "--steps 50", {"kept.runs", "not a file of finished runs"});
  EXPECT_EQ(content("kept.runs"), "a letter\n");
}

TEST_F(SimulateParts, GoOnWithPoliciesThatWereSaved) {
  // Thompson sampling and KL-UCB do not know for how many users they are made.
  const std::string what = kSplitProblem + kSplitPolicies + "--runs 3 ";
  ASSERT_EQ(dcmrank(what + "--steps 900 --json whole.json").status, 0);
  ASSERT_EQ(dcmrank(what + "--steps 400 --json first.json --save-policies kept").status, 0);
  const Outcome second =
      dcmrank(kSplitProblem + "--steps 500 --json second.json --load kept --save-policies later");
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_NE(second.out.find("500 steps after 400 others, 3 runs"), std::string::npos) << second.out;
  const auto whole = timeless("whole.json");
  const auto before = timeless("first.json");
  const auto after = timeless("second.json");
  EXPECT_EQ(after["first_step"], 400);
  for (std::size_t p = 0; p < 2; ++p) {
    const auto regret = [&](const nlohmann::ordered_json& json, std::size_t run) {
      return json["policies"][p]["regret"]["per_run"][run].get<double>();
    };
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_NEAR(regret(before, r) + regret(after, r), regret(whole, r), 1e-9);
    }
  }
  ASSERT_EQ(dcmrank(kSplitProblem + "--steps 10 --load later --json -").status, 0);
}

TEST_F(SimulateParts, RefusePoliciesThatCannotGoOn) {
  const std::string what = kSplitProblem + "--steps 50 ";
  ASSERT_EQ(dcmrank(what + "--policy dcm-ts --runs 2 --save-policies kept").status, 0);
  refuses(what + "--load none", {"--load none", "no policies there"});
  refuses(what + "--load kept --policy dcm-ts", {"--load cannot be combined with --policy"});
  refuses(what + "--load kept --seed 3", {"--load cannot be combined with --seed"});
  refuses(what + "--load kept --resume r", {"--load cannot be combined with --resume"});
  refuses(what + "--policy dcm-ts --save-policies s --delay 3", {"--save-policies", "--delay"});
  refuses(what + "--policy dcm-ts --save-policies kept", {"kept", "already holds policies"});
  std::filesystem::create_directory(folder() / "shared");
  const int other = ::open((folder() / "shared").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  refuses(what + "--policy dcm-ts --save-policies shared", {"shared", "in use by another"});
  ::close(other);
  refuses(what, {"--policy or --load is needed"});
  refuses("simulate --problem lb:L=8,K=2,p=0.2,gap=0.1,gamma=1 --load kept",
          {"'dcm-ts' was made for L = 16, K = 4"});
  const std::string name = "kept/01-dcm-ts.policy.json";
  const std::string good = content(name);
  file(name, good.substr(0, good.size() / 2));
  refuses(what + "--load kept", {name});
  file(name, "{}");
  refuses(what + "--load kept", {name, "dcmrank.simulated-policy"});
}

}  // namespace
}  // namespace dcmrank::testing
