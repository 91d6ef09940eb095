#include "dcmrank/users/problem.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

std::string problem_refusal(const std::string& spec) {
  try {
    read_problem(spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string refusal_of_file(const std::string& json) {
  try {
    parse_problem(json, "p.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Problem, OfTheLowerBoundClassIsReadFromItsParameters) {
  const Dcm dcm = *read_problem("lb:K=2,L=3,gamma=.5,p=0.2,gap=0.1").dcm();
  EXPECT_EQ(dcm, make_dcm({.items = 3, .positions = 2, .p = .2, .gap = .1, .gamma = .5}));
}

TEST(Problem, NamesTheParameterAtFault) {
  EXPECT_NE(problem_refusal("lb:L=3,K=2,p=0.2,gap=0.1").find("gamma is missing"),
            std::string::npos);
  EXPECT_NE(problem_refusal("lb:L=3,K=2,p=0.2,gap=0.1,gama=1").find("did you mean 'gamma'"),
            std::string::npos);
  EXPECT_NE(problem_refusal("lb:L=3,K=2,p=x,gap=0.1,gamma=1").find("p is 'x', not a number"),
            std::string::npos);
  EXPECT_NE(
      problem_refusal("lb:L=3.5,K=2,p=.2,gap=0.1,gamma=1").find("L is '3.5', not a whole number"),
      std::string::npos);
  EXPECT_NE(problem_refusal("lb:L=3,K=2,K=2,p=.2,gap=0.1,gamma=1").find("K is given twice"),
            std::string::npos);
  EXPECT_NE(problem_refusal("lb:L").find("'L' is not of the form key=value"), std::string::npos);
  EXPECT_NE(problem_refusal("lb:L=3,K=2,p=1.2,gap=0.1,gamma=1").find("p is 1.2, not a probability"),
            std::string::npos);
  EXPECT_NE(
      problem_refusal("lb:L=99999999999,K=2,p=.2,gap=0.1,gamma=1").find("L is 99999999999, above"),
      std::string::npos);
}

TEST(Problem, IsReadFromJson) {
  const Dcm dcm =
      *parse_problem(R"({"attraction":[0.5,1,0],"termination":[0.25]})", "p.json").dcm();
  EXPECT_EQ(dcm, (Dcm{{.5, 1, 0}, {.25}}));
  EXPECT_EQ(*parse_problem(problem_to_json(dcm).dump(), "p.json").dcm(), dcm);
}

TEST(Problem, OfAFileNamesFileAndEntryAtFault) {
  EXPECT_EQ(refusal_of_file("[]"), "p.json: not a JSON object");
  EXPECT_EQ(refusal_of_file("{}"), "p.json: \"attraction\" is missing");
  EXPECT_EQ(refusal_of_file(R"({"attraction":1})"), "p.json: \"attraction\" is not an array");
  EXPECT_EQ(refusal_of_file(R"({"attraction":[0.5,"x"]})"),
            "p.json: attraction[1] is '\"x\"', not a number");
  EXPECT_EQ(refusal_of_file(R"({"attraction":[0.5,2],"termination":[1]})"),
            "p.json: attraction[1] is 2, not a probability in [0, 1]");
}

TEST(Problem, OfAMissingFileIsRefused) {
  EXPECT_EQ(problem_refusal("no/such/file.json"),
            "cannot read no/such/file.json: No such file or directory");
}

}  // namespace
}  // namespace dcmrank
