// Users with short screens and late feedback, and what a simulation may tell a policy.
#include <fmt/format.h>

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
  const auto result = json(simulate("--delay 10 --depth 1:0.25,3:0.75 --json -"));
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
  refuses(simulate("--depth 1:0.5,2:0.6"), {"--depth", "1.1", "not to 1"});
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

class SearchedLists : public CommandTest {
 protected:
  // After a click the next position is hardly looked at: the best item does not belong on top.
  std::string simulate(const std::string& words) {
    file("ubm.json",
         R"({"model":"ubm","attraction":[0.9,0.8,0.3,0.2,0.2,0.1,0.1,0.1,0.1,0.1,0.1,0.1],)"
         R"("examination":[[1],[0.3,0.9],[0.3,0.9,0.9],[0.3,0.9,0.9,0.9],)"
         R"([0.3,0.9,0.9,0.9,0.9]]})");
    return "simulate --problem ubm.json --policy dcm-ts --steps 1000 --runs 3 " + words;
  }
};

TEST_F(SearchedLists, AreCalledSoWithWhatTheBestSortedListLoses) {
  const auto result = json(simulate("--json -"));
  EXPECT_EQ(result["best_list_found_by"], "exchanges");
  const double floor = result["best_sorted"]["regret"];
  EXPECT_GT(floor, 10);
  const auto& policy = result["policies"][0];
  EXPECT_DOUBLE_EQ(policy["net_regret"]["mean"].get<double>(),
                   policy["regret"]["mean"].get<double>() - floor);
  EXPECT_EQ(policy["net_regret"]["stderr"], policy["regret"]["stderr"]);
  const std::string text = dcmrank(simulate("")).out;
  EXPECT_NE(text.find("found by exchanges"), std::string::npos) << text;
  EXPECT_NE(text.find(fmt::format("loses {:.2f}", floor)), std::string::npos) << text;
  EXPECT_NE(text.find("net regret"), std::string::npos) << text;
}

TEST_F(SearchedLists, AreNotSpokenOfWhereSortingIsTheBest) {
  const std::string words =
      "simulate --problem lb:L=6,K=2,p=0.2,gap=0.1,gamma=0.5 --policy dcm-ts "
      "--steps 100 --runs 2 ";
  const auto result = json(words + "--json -");
  EXPECT_FALSE(result.contains("best_list_found_by"));
  EXPECT_FALSE(result.contains("best_sorted"));
  EXPECT_FALSE(result["policies"][0].contains("net_regret"));
  EXPECT_EQ(dcmrank(words).out.find("net regret"), std::string::npos);
}

TEST_F(SimulatedUsers, AreCountedByTheRewardAskedFor) {
  const auto usual = json(simulate("--json -"));
  const auto satisfied = json(simulate("--reward satisfaction --json -"));
  EXPECT_EQ(usual["policies"][0]["regret"], satisfied["policies"][0]["regret"]);
  const auto clicks = json(simulate("--reward clicks --json -"));
  EXPECT_EQ(clicks["problem"]["reward"], "clicks");
  EXPECT_GT(clicks["policies"][0]["reward"]["mean"], usual["policies"][0]["reward"]["mean"]);
}

TEST_F(SimulatedUsers, RefuseARewardThatTheirModelDoesNotHave) {
  refuses(simulate("--reward joy"), {"--reward", "'joy'", "clicks, satisfaction"});
  for (const std::string model : {"pbm", "dctr"}) {
    file("q.json", R"({"model":")" + model +
                       R"(","attraction":[0.6,0.5,0.4],"examination":[1,0.5],"positions":2})");
    refuses("simulate --problem q.json --policy dcm-ts --reward satisfaction",
            {"--reward", "model " + model, "clicks"});
    EXPECT_EQ(
        dcmrank("simulate --problem q.json --policy dcm-ts --reward clicks --steps 10 --runs 2")
            .status,
        0);
  }
}

TEST_F(SimulatedUsers, HaveAnOrderOfPositionsThatPoliciesMayTakeForAnother) {
  file("second.json", R"({"attraction":[0.5,0.3,0.1],"termination":[0.2,0.9]})");
  const std::string what = "simulate --problem second.json --steps 20 --runs 2 ";
  const Outcome untold = dcmrank(what + "--policy recommended --policy dcm-ts:order=2,1");
  EXPECT_EQ(untold.status, 0) << untold.err;
  EXPECT_NE(
      untold.err.find("worth most at position 2 here (order: 2,1), but the order of positions "
                      "is taken from the top by recommended: "),
      std::string::npos)
      << untold.err;
  for (const std::string policy :
       {"recommended:order=problem", "dcm-ts:order=learned", "dcm-ts:terminations=problem"}) {
    EXPECT_EQ(dcmrank(what + "--policy " + policy).err.find("position 2"), std::string::npos);
  }
  file("first.json",
       "\xef\xbb\xbf"
       R"({"attraction":[0.5,0.3,0.1],"termination":[0.9,0.2]})");
  const Outcome top = dcmrank("simulate --problem first.json --steps 20 --runs 2 --policy dcm-ts");
  EXPECT_EQ(top.status, 0);
  EXPECT_EQ(top.err.find("position"), std::string::npos) << top.err;
}

}  // namespace
}  // namespace dcmrank::testing
