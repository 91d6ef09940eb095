#include "command_test.h"

namespace dcmrank::testing {
namespace {

class BoundsCommand : public CommandTest {};

TEST_F(BoundsCommand, GivesTheoremTwoOfTheNotesToTheUnit) {
  file("p.json", R"({"attraction":[0.6,0.5,0.4],"termination":[0.5,0.1]})");
  const auto result = json("bounds --problem p.json --steps 400000 --json -");
  EXPECT_EQ(std::round(result["theorem2"].get<double>()), 1339);
  EXPECT_TRUE(result["theorem1"].is_null());
  EXPECT_TRUE(result["lower_per_log_n"].is_null());
  EXPECT_DOUBLE_EQ(result["alpha"].get<double>(), 0.4);
}

TEST_F(BoundsCommand, GivesAllBoundsOfTheLowerBoundClass) {
  const auto result =
      json("bounds --problem lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5 --steps 1e5 --json -");
  EXPECT_DOUBLE_EQ(result["theorem1"].get<double>(), result["theorem2"].get<double>());
  EXPECT_NEAR(result["lower_per_log_n"].get<double>() * std::log(1e5), 56, 0.5);
  EXPECT_EQ(result["proposition1"].size(), 4U);
}

TEST_F(BoundsCommand, SaysWhichAssumptionsDoNotHold) {
  file("p.json", R"({"attraction":[0.6,0.5,0.4],"termination":[0.5,0.1]})");
  const Outcome outcome = dcmrank("bounds --problem p.json");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("Theorem 1 needs equal termination"), std::string::npos);
  EXPECT_NE(outcome.out.find("Theorem 3 needs a problem of the class B_LB"), std::string::npos);
}

TEST_F(BoundsCommand, GivesNullWhereABoundIsInfinite) {
  file("p.json", R"({"attraction":[1,0.5,0.4],"termination":[0.5,0.1]})");
  EXPECT_TRUE(json("bounds --problem p.json --json -")["theorem2"].is_null());
}

TEST_F(BoundsCommand, GivesZeroWhereNoListDiffersFromAnother) {
  file("p.json", R"({"attraction":[1,0.5],"termination":[0,0]})");
  const auto result = json("bounds --problem p.json --json -");
  EXPECT_EQ(result["theorem1"], 0);
  EXPECT_EQ(result["theorem2"], 0);
  EXPECT_NE(dcmrank("bounds --problem p.json").out.find("the regret of every policy is 0"),
            std::string::npos);
}

TEST_F(BoundsCommand, RefusesZeroSteps) {
  refuses("bounds --problem lb:L=4,K=2,p=0.2,gap=0.1,gamma=0.5 --steps 0", {"--steps", "'0'"});
}

}  // namespace
}  // namespace dcmrank::testing
