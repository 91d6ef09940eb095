#include "dcmrank/registry/position_options.h"

#include <string>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

PositionKnowledge known(const std::string& options) {
  return position_knowledge(parse_policy_spec("dcm-ts:" + options), {{5, 3, 0}});
}

std::string options_refusal(const std::string& options) {
  try {
    known(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PositionOptions, TakeTheOrderFromTheTopUnlessToldOtherwise) {
  EXPECT_EQ(known("init=free").order, (PositionOrder{0, 1, 2}));
  EXPECT_EQ(known("order=3,1,2").order, (PositionOrder{2, 0, 1}));
  EXPECT_FALSE(known("order=learned").order);
}

TEST(PositionOptions, TakeTheOrderOfKnownTerminations) {
  const PositionKnowledge knowledge = known("terminations=0.1,0.9,0.5");
  EXPECT_FALSE(knowledge.order);
  EXPECT_EQ(knowledge.terminations, (std::vector<double>{.1, .9, .5}));
  EXPECT_EQ(known("terminations=0.1,0.9,0.5,order=1,2,3").order, (PositionOrder{0, 1, 2}));
}

TEST(PositionOptions, RefuseWhatIsNoProbabilityAPosition) {
  EXPECT_NE(options_refusal("terminations=0.1,0.9").find("has 2 numbers for 3 positions"),
            std::string::npos);
  EXPECT_NE(options_refusal("terminations=0.1,0.9,2").find("'2', not a probability"),
            std::string::npos);
  EXPECT_NE(options_refusal("last-termination=nan").find("'nan', not a probability"),
            std::string::npos);
  EXPECT_NE(options_refusal("last-termination=0.5,terminations=0,0,0").find("already given"),
            std::string::npos);
}

TEST(PositionOptions, LeaveTheProblemToTheSimulation) {
  EXPECT_NE(options_refusal("order=problem").find("only in a simulation"), std::string::npos);
  EXPECT_NE(options_refusal("terminations=problem").find("only in a simulation"),
            std::string::npos);
}

}  // namespace
}  // namespace dcmrank
