#include "dcmrank/registry/registry.h"

#include <csignal>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/blame.h"
#include "dcmrank/base/error.h"
#include "dcmrank/registry/dcm_entries.h"

namespace dcmrank {
namespace {

// The message of the InputError that a policy of this name meets on 5 items and 3 positions.
std::string refusal(const std::string& spec) {
  try {
    make_policy(parse_policy_spec(spec), {5, 3, 100});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PolicySpec, SplitsNameAndOptions) {
  const PolicySpec spec = parse_policy_spec("dcm-kl-ucb:init=free,order=3,1,2");
  EXPECT_EQ(spec.name, "dcm-kl-ucb");
  EXPECT_EQ(spec.options.at("init"), "free");
  EXPECT_EQ(spec.options.at("order"), "3,1,2");
}

TEST(PolicySpec, RefusesWhatHasNoNameNoValueOrAnOptionTwice) {
  EXPECT_EQ(refusal(":init=free"), "policy ':init=free' has no name");
  EXPECT_EQ(refusal("dcm-kl-ucb:init"),
            "policy 'dcm-kl-ucb:init': 'init' is not of the form key=value");
  EXPECT_EQ(refusal("dcm-kl-ucb:init=free,init=free"),
            "policy 'dcm-kl-ucb:init=free,init=free': option 'init' is given twice");
}

TEST(Registry, SuggestsTheNearestNameOfAnUnknownPolicy) {
  EXPECT_EQ(
      refusal("dcmklucb"),
      "unknown policy 'dcmklucb' (did you mean 'dcm-kl-ucb'?); 'dcmrank policies' lists them");
}

TEST(Registry, NamesTheOptionsThatAPolicyHas) {
  EXPECT_NE(refusal("ranked-exp3:duplicate=skip").find("(did you mean 'duplicates'?)"),
            std::string::npos);
  EXPECT_NE(refusal("ranked-exp3:duplicates=skp").find("(did you mean 'skip'?)"),
            std::string::npos);
}

TEST(Registry, RefusesAnOrderThatIsNoOrderOfThePositions) {
  EXPECT_EQ(refusal("dcm-kl-ucb:order=3,1,2"), "");
  EXPECT_NE(refusal("dcm-kl-ucb:order=3,1,4").find("'4', not a position from 1 to 3"),
            std::string::npos);
  EXPECT_NE(refusal("dcm-kl-ucb:order=1,2").find("each of the 3 positions once"),
            std::string::npos);
  EXPECT_NE(refusal("dcm-kl-ucb:order=1,2,2").find("each of the 3 positions once"),
            std::string::npos);
}

TEST(Registry, KnowsTheRecommendedPolicyWithOptions) {
  EXPECT_EQ(refusal("recommended"), "");
  EXPECT_EQ(refusal("recommended:order=2,1,3"), "");
  EXPECT_NE(refusal("recommended:counting=prefix").find("unknown option 'counting'"),
            std::string::npos);
  EXPECT_NE(refusal("recommended:order=learned").find("does not learn the order"),
            std::string::npos);
}

class SavedPolicy : public testing::Test {
 protected:
  // The message with which a saved dcm-kl-ucb is refused after one change.
  static std::string refusal_of(const std::string& field, const nlohmann::ordered_json& value) {
    const PolicySpec spec = parse_policy_spec("dcm-kl-ucb");
    const Shape shape{3, 2, 9};
    auto saved = save_policy(spec, shape, make_policy(spec, shape));
    saved[nlohmann::ordered_json::json_pointer(field)] = value;
    try {
      load_policy(saved);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(SavedPolicy, LoadsUnchanged) { EXPECT_EQ(refusal_of("/version", 1), ""); }

TEST_F(SavedPolicy, OfAnotherFormatOrVersionIsRefused) {
  EXPECT_EQ(refusal_of("/format", "x"), "policy state: \"format\" is not \"dcmrank.policy-state\"");
  EXPECT_EQ(refusal_of("/version", 2), "policy state: \"version\" is 2, not 1");
}

TEST_F(SavedPolicy, WithAWrongFieldIsRefusedByItsName) {
  EXPECT_NE(refusal_of("/items", -1).find("\"items\""), std::string::npos);
  EXPECT_NE(refusal_of("/positions", 4).find("\"positions\""), std::string::npos);
  EXPECT_NE(refusal_of("/policy", 4).find("\"policy\""), std::string::npos);
  EXPECT_NE(refusal_of("/policy", "dcm").find("unknown policy"), std::string::npos);
  EXPECT_NE(refusal_of("/state", 4).find("'4' is not an object"), std::string::npos);
  EXPECT_NE(refusal_of("/state/round", 0).find("\"round\" is '0'"), std::string::npos);
  EXPECT_NE(refusal_of("/state/counts", nullptr).find("'null' is not an object"),
            std::string::npos);
  EXPECT_NE(refusal_of("/state/counts/observed", {1, 2}).find("\"observed\" has 2 entries, not "),
            std::string::npos);
  EXPECT_NE(refusal_of("/state/counts/attracted/1", -1).find("attracted[1] is '-1'"),
            std::string::npos);
  EXPECT_NE(refusal_of("/state/counts/observed/1", 1e308).find("observed[1] is '1e+308'"),
            std::string::npos);
  EXPECT_NE(refusal_of("/state/counts/attracted/1", "a").find("attracted[1] is '\"a\"'"),
            std::string::npos);
}

// More attracted than observed would be a probability above 1.
TEST(SavedState, RefusesPartsThatAreMoreThanTheirWhole) {
  const PolicySpec spec = parse_policy_spec("dcm-ts");
  const Shape shape{3, 2, 100};
  const auto saved = save_policy(spec, shape, make_policy(spec, shape));
  const auto refusal = [&](const char* group, const char* part) {
    auto wrong = saved;
    wrong["state"][group][part][1] = 5;
    try {
      load_policy(wrong);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal("counts", "attracted").find("\"attracted\"[1] is 5, more than \"observed\"[1]"),
            std::string::npos);
  EXPECT_NE(refusal("terminations", "terminated"), "");
  EXPECT_NE(refusal("item_doubts", "weight"), "");
  EXPECT_NE(refusal("position_doubts", "believed"), "");
  EXPECT_EQ(refusal("counts", "observed"), "");
}

// All that a policy must have.
struct Alphabetical {
  explicit Alphabetical(const Shape& shape) : positions(shape.positions) {}
  void rank(Rng& /*rng*/, Ranking& ranking) const {
    ranking.items.resize(positions);
    for (Item k = 0; k < positions; ++k) ranking.items[k] = k;
  }
  void update(const Ranking& /*shown*/, Clicks /*clicks*/) {}
  std::size_t positions;
};

// The family of dcmKL-UCB says nothing itself, and shares nothing.
TEST(AnyOpenPolicy, EstimatesByTheCountsOfARowWhereItsPolicyDoesNot) {
  AnyOpenPolicy dcm = make_open_policy(parse_policy_spec("dcm-ts"), {4, 2, 100});
  dcm.open(2);
  dcm.put_item(1, std::vector<double>{10, 4, 0, 0, 0});
  dcm.add_prior(1, {.5, .25});
  EXPECT_EQ(dcm.estimate(1), 5.25 / 12.5);
  EXPECT_EQ(dcm.shared_row(), 0U);
  EXPECT_TRUE(dcm.fit_shared({}).empty());
  AnyOpenPolicy browsing = make_open_policy(parse_policy_spec("ubm-ts"), {4, 2, 100});
  EXPECT_EQ(browsing.shared_row(), 101U);
  EXPECT_EQ(browsing.fit_shared({}).size(), 101U);
  EXPECT_FALSE(browsing.family() == dcm.family());
}

// An index of somebody else, of which one item's score is what a test says.
struct Given {
  static inline double score = 0;  // NOLINT(*-avoid-non-const-global-variables)
  void begin_round(std::uint64_t /*t*/, std::uint64_t /*key*/) {}
  double operator()(Item e, const Counts& /*counts*/) const { return e == 2 ? score : 0.5; }
};

TEST(OwnIndex, MayBeInfiniteButMustBeANumber) {
  static const bool added = (add_policy(index_policy<Given>("given", "as a test says")), true);
  ASSERT_TRUE(added);
  const auto refusal_at = [](double score) -> std::string {
    Given::score = score;
    AnyPolicy policy = make_policy(parse_policy_spec("given"), {4, 2, 100});
    AnyOpenPolicy served = policy.open_view();
    served.open(4);
    served.put_item(2, std::vector<double>{1, 0, 0, 0, 0});
    Rng rng(1);
    Ranking ranking;
    std::string words;
    try {
      policy.rank(rng, ranking);
    } catch (const InputError& error) {
      words = error.what();
    }
    try {
      served.rank(rng, ranking);
    } catch (const InputError& error) {
      words += fmt::format(", {}", error.what());
    }
    return words;
  };
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal_at(infinite), "");
  EXPECT_EQ(refusal_at(-infinite), "");
  EXPECT_EQ(refusal_at(std::numeric_limits<double>::quiet_NaN()),
            "the index of item 2 is not a number, the index of item 2 is not a number");
}

struct Forgetful : Alphabetical {
  using Alphabetical::Alphabetical;
  nlohmann::ordered_json save() const { return {}; }
  void load(const nlohmann::ordered_json& /*state*/) {}
};

TEST(OwnPolicy, IsNotSavedAsNothing) {
  EXPECT_THROW(AnyPolicy(Forgetful({3, 2, 100})).save(), InputError);
}

std::string offered() {
  std::string text = "recommended";
  for (const PolicyEntry& entry : policy_registry()) {
    if (is_served(entry)) text += ", " + entry.name;
  }
  return text;
}

TEST(OwnPolicy, SaysInOneLineWhatItCannotDo) {
  static const bool added = (add_policy<Alphabetical>("alphabetical", "always the same"), true);
  ASSERT_TRUE(added);
  const PolicySpec spec = parse_policy_spec("alphabetical");
  const Shape shape{3, 2, 100};
  const auto message = [](auto act) {
    try {
      act();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const AnyPolicy policy = make_policy(spec, shape);
  EXPECT_FALSE(policy.wants_initial_sample());
  EXPECT_EQ(message([&] { save_policy(spec, shape, policy); }),
            "policy 'alphabetical': it cannot be saved or loaded: it has no save() and load()");
  EXPECT_EQ(
      message([&] { make_open_policy(spec, shape); }),
      "policy 'alphabetical' is not offered by the service, where items come and go; it offers " +
          offered());
  EXPECT_NE(message([&] { make_policy(parse_policy_spec("alphabetical:order=1,2"), shape); }), "");
  EXPECT_NE(
      message([] { add_policy<Alphabetical>("dcm-ts", ""); }).find("there is already a policy"),
      std::string::npos);
  EXPECT_NE(message([] { add_policy<Alphabetical>("a b", ""); }).find("cannot be the name"),
            std::string::npos);
  const auto make = [](const PolicySpec&, const PolicyCase&) -> AnyPolicy {
    throw std::out_of_range("boom");
  };
  EXPECT_EQ(message([&] {
              add_policy({"twice", "", {{"a", "", {}}, {"a", "", {}}}, make});
            }),
            "policy 'twice' has the option 'a' twice");
  for (const char* option : {"a b", "a=b", ""}) {
    EXPECT_EQ(message([&] {
                add_policy({"odd", "", {{option, "", {}}}, make});
              }),
              fmt::format("policy 'odd': '{}' cannot be the name of an option: use visible "
                          "characters but ':', ',' and '='",
                          option));
  }
  add_policy({"unmade", "", {}, make});
  try {
    make_policy(parse_policy_spec("unmade"), shape);
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_EQ(told(error), "policy 'unmade', when it was made: boom");
  }
}

void refusal_of_another() { throw InputError("another"); }

// Uncaught, as in a main that adds before run_command.
TEST(AddPolicy, SaysInOneLineWhatIsWrongWhereNobodyCatchesIt) {
  const auto add = []() noexcept { add_policy<Alphabetical>("dcm-ts", ""); };
  EXPECT_EXIT(add(), testing::ExitedWithCode(2), "^dcmrank: there is already a policy 'dcm-ts'\n$");
  const auto other = []() noexcept {
    try {
      add_policy<Alphabetical>("dcm-ts", "");
    } catch (const InputError&) {
    }
    refusal_of_another();
  };
  EXPECT_EXIT(other(), testing::KilledBySignal(SIGABRT), "another");
}

}  // namespace
}  // namespace dcmrank
