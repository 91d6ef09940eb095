#include "dcmrank/users/problem.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/click_model.h"

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

// It is what a DCM counts anyway: its users keep what only a DCM has.
TEST(Problem, OfADcmMaySayThatItCountsSatisfaction) {
  const std::string dcm = R"("attraction":[0.6,0.5,0.4],"termination":[0.5,0.1])";
  const Problem plain = parse_problem("{" + dcm + "}", "p.json");
  for (const std::string& more : {std::string(R"(,"reward":"satisfaction"})"),
                                  std::string(R"(,"reward":"satisfaction","model":"dcm"})")}) {
    const Problem said = parse_problem("{" + dcm + more, "p.json");
    ASSERT_NE(said.dcm(), nullptr);
    EXPECT_EQ(*said.dcm(), *plain.dcm());
    EXPECT_EQ(said.reward(), "satisfaction");
  }
  EXPECT_EQ(parse_problem("{" + dcm + R"(,"reward":"clicks"})", "p.json").dcm(), nullptr);
  EXPECT_NE(refusal_of_file("{" + dcm + R"(,"reward":3})").find("\"reward\""), std::string::npos);
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
  EXPECT_EQ(read_problem("lb:L=1e1,K=2,p=.2,gap=0.1,gamma=1").items(), 10U);
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

TEST(Problem, IsRefusedWhereAKindOfUserAndAClickModelHaveItsName) {
  add_problem_kind({"both", [](const nlohmann::ordered_json&) -> Problem {
                      throw InputError("nobody asks for it");
                    }});
  ClickModel model = kPbmModel;
  model.name = "both";
  add_click_model(model);
  EXPECT_EQ(refusal_of_file(R"({"model": "both"})"),
            "p.json: \"model\" is 'both', the name of a kind of user and of a click model");
}

TEST(Problem, IsToldInPlainWordsWhereTheJsonLibraryFindsTheFault) {
  add_problem_kind({"unreading", [](const nlohmann::ordered_json& json) -> Problem {
                      return Dcm{json.at("attraction"), {0.5, 0.5}};
                    }});
  EXPECT_EQ(refusal_of_file(R"({"model": "unreading"})"),
            "p.json: users of the model 'unreading' cannot be read: key 'attraction' not found");
  EXPECT_EQ(refusal_of_file(R"({"model": "unreading", "attraction": 3})"),
            "p.json: users of the model 'unreading' cannot be read: type must be array, but is "
            "number");
}

TEST(AddProblemKind, NeedsANameOfItsOwnThatCanBeTyped) {
  const auto read = [](const nlohmann::ordered_json&) -> Problem { throw InputError("never"); };
  const auto refusal = [&](const std::string& name) -> std::string {
    try {
      add_problem_kind({name, read});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("pbm"), "a kind of user 'pbm' already exists");
  EXPECT_EQ(refusal(""), "the kind of user '' has no name or no reader");
  for (const char* name : {"a b", "a,b", "a=b"}) {
    EXPECT_EQ(refusal(name),
              fmt::format("'{}' cannot be the name of a kind of user: use visible characters but "
                          "':', ',' and '='",
                          name));
  }
}

// What is said of users of 3 items at 2 positions whose facts were changed so.
template <class Change>
std::string refusal_of_facts(const Change& change) {
  OtherUsers users{"mine", 3, 2, "{}", [](std::uint64_t, std::uint64_t) -> AnyUsers {
                     throw InputError("nobody asks for them");
                   }};
  change(users.facts);
  try {
    const Problem problem(users);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Problem, OfOthersIsRefusedIfItsFactsCannotBe) {
  const std::string begin = "users of the model 'mine': facts.";
  EXPECT_EQ(refusal_of_facts([](ListFacts& facts) {
              facts.order = {1, 0};
              facts.examination = {1, 0};
              facts.best = {2, 0};
            }),
            "");
  for (const std::vector<std::size_t>& order :
       std::vector<std::vector<std::size_t>>{{1, 2}, {0}, {0, 0}, {0, 1, 2}}) {
    EXPECT_EQ(refusal_of_facts([&](ListFacts& facts) { facts.order = order; }),
              begin + "order is not an order of the positions 0 to 1");
  }
  for (const std::vector<double>& examination :
       std::vector<std::vector<double>>{{2, 1}, {1}, {1, NAN}, {1, -.5}}) {
    EXPECT_EQ(refusal_of_facts([&](ListFacts& facts) { facts.examination = examination; }),
              begin + "examination is not 2 probabilities, one per position");
  }
  EXPECT_EQ(refusal_of_facts([](ListFacts& facts) {
              facts.best = {0, 3};
            }),
            begin + "best is not 2 different items of 0 to 2");
  EXPECT_EQ(refusal_of_facts([](ListFacts& facts) { facts.floor = -1; }),
            begin + "floor is not 0 or more");
  EXPECT_EQ(refusal_of_facts([](ListFacts& facts) { facts.floor = NAN; }),
            begin + "floor is not 0 or more");
  EXPECT_EQ(refusal_of_facts([](ListFacts& facts) { facts.floor = INFINITY; }),
            begin + "floor is not 0 or more");
}

}  // namespace
}  // namespace dcmrank
