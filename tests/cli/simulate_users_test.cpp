// Users with short screens and late feedback, and what a simulation may tell a policy.
#include "command_test.h"

namespace dcmrank::testing {
namespace {

class SimulatedUsers : public CommandTest {
 protected:
  std::string simulate(const std::string& words) {
    file("p.json", R"({"attraction":[0.6,0.5,0.4,0.2],"termination":[0.5,0.1,0.3]})");
    return "simulate --problem p.json --policy recommended --steps 200 --runs 4 " + words;
  }
};

TEST_F(SimulatedUsers, MayBeLateAndSeeOnlyTheTop) {
  const auto result = json(simulate("--delay 10 --depth 1:0.5,3:1.5 --json -"));
  EXPECT_EQ(result["delay"], 10);
  EXPECT_EQ(result["depth"], (nlohmann::ordered_json{.25, 0, .75}));
  const auto plain = json(simulate("--json -"));
  EXPECT_FALSE(plain.contains("delay"));
  EXPECT_NE(result["policies"][0]["regret"], plain["policies"][0]["regret"]);
}

TEST_F(SimulatedUsers, GiveTheSameForAnyNumberOfThreads) {
  const auto with = [&](const std::string& threads) {
    auto result = json(simulate("--delay 3 --depth 2 --json - --threads " + threads));
    result["policies"][0].erase("ns_per_step");
    return result;
  };
  EXPECT_EQ(with("1"), with("2"));
}

TEST_F(SimulatedUsers, OfNoDelayAreThoseWithoutTheOption) {
  const auto regret = [&](const std::string& words) {
    return json(simulate(words))["policies"][0]["regret"];
  };
  EXPECT_EQ(regret("--delay 0 --depth 3 --json -"), regret("--json -"));
}

TEST_F(SimulatedUsers, RefuseImpossibleDelaysAndDepths) {
  refuses(simulate("--delay -1"), {"--delay", "'-1'"});
  refuses(simulate("--depth 4"), {"--depth", "'4'"});
  refuses(simulate("--depth 2:x"), {"--depth", "'x'"});
}

TEST_F(SimulatedUsers, MayTellThePolicyTheProblem) {
  file("q.json", R"({"attraction":[0.6,0.5,0.4],"termination":[0.1,0.5]})");
  const auto regret = [&](const std::string& policy) {
    const auto result =
        json("simulate --problem q.json --steps 500 --runs 3 --json - --policy " + policy);
    return result["policies"][0]["regret"];
  };
  EXPECT_EQ(regret("dcm-ts:order=problem"), regret("dcm-ts:order=2,1"));
  EXPECT_EQ(regret("dcm-ts:terminations=problem"), regret("dcm-ts:terminations=0.1,0.5"));
}

}  // namespace
}  // namespace dcmrank::testing
