#include "dcmrank/ledger/checked_open_policy.h"

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/ledger/learner.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/registry/registry.h"

namespace dcmrank::service {
namespace {

// What a policy of somebody else does in the present test.
struct Conduct {
  std::vector<Item> list{0, 1};
  double learned = 1;
  double score = 0.5;
  std::string_view item_fault{};
  std::string_view position_fault{};
  std::function<void()> on_rank = [] {};
  std::function<void()> on_update = [] {};
};
Conduct& conduct() {
  static Conduct present;
  return present;
}

struct GuestView {
  double learned = 0;
  static RowFamily family() {
    RowFamily family{"guest", [](std::span<const double>) { return Counts{}; }, false};
    family.item_fault = [](std::span<const double> row, double pages) {
      EXPECT_EQ(pages, 1);
      return row[0] == conduct().learned ? conduct().item_fault : "";
    };
    family.position_fault = [](std::span<const double>, double) {
      return conduct().position_fault;
    };
    return family;
  }
  void open(std::size_t /*items*/) { learned = 0; }
  static std::size_t item_row() { return 1; }
  static std::size_t position_row() { return 0; }
  void put_round(std::uint64_t /*t*/) {}
  void put_item(Item /*e*/, std::span<const double> /*row*/) {}
  void put_position(std::size_t /*k*/, std::span<const double> /*row*/) {}
  void add_prior(Item /*e*/, const Counts& /*prior*/) {}
  void rank(Rng& /*rng*/, Ranking& ranking) {
    conduct().on_rank();
    ranking.items = conduct().list;
  }
  void update(const Ranking& /*shown*/, Clicks /*clicks*/) {
    conduct().on_update();
    learned = conduct().learned;
  }
  void impose(Ranking& /*ranking*/) const {}
  void get_item(Item /*e*/, std::span<double> row) const { row[0] = learned; }
  void get_position(std::size_t /*k*/, std::span<double> /*row*/) const {}
  double score(Item /*e*/, std::size_t /*k*/) const { return conduct().score; }
};

struct Guest {
  explicit Guest(const Shape& /*shape*/) {}
  void rank(Rng& /*rng*/, Ranking& ranking) { ranking.items = {0, 1}; }
  void update(const Ranking& /*shown*/, Clicks /*clicks*/) {}
  GuestView open_view() const { return {}; }
};

Learner guest_learner(Conduct present) {
  static const bool added = (add_policy<Guest>("guest", "of somebody else"), true);
  static_cast<void>(added);
  conduct() = std::move(present);
  return {parse_policy_spec("guest"), 2};
}

std::string fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const PolicyFault& fault) {
    return fault.what();
  }
  return "";
}

std::string rank_fault(Conduct present) {
  Learner learner = guest_learner(std::move(present));
  const std::vector<Candidate> four{{"a", 1, {}}, {"b", 2, {}}, {"c", 3, {}}, {"d", 4, {}}};
  Rng rng(1);
  Ranking ranking;
  return fault_of([&] {
    learner.take({}, four, {}, 0);
    learner.rank(rng, ranking);
    learner.score(0, 0);
  });
}

std::string learn_fault(Conduct present) {
  Learner learner = guest_learner(std::move(present));
  const Page page{{"a", "b"}, {}, {}};
  return fault_of([&] { learner.learn({}, page, std::vector<std::uint8_t>{1, 0}); });
}

TEST(CheckedOpenPolicy, ServesOnlyListsOfDifferentCandidates) {
  const std::string where = "policy 'guest', round 1: its list ";
  EXPECT_EQ(rank_fault({.list = {3, 0}}), "");
  EXPECT_EQ(rank_fault({.list = {0, 77}}), where + "has item 77; items are numbered from 0 to 3");
  EXPECT_EQ(rank_fault({.list = {1, 1}}), where + "has item 1 twice");
  EXPECT_EQ(rank_fault({.list = {}}), where + "has 0 items for 2 positions");
  EXPECT_EQ(rank_fault({.list = {0, 1, 2}}), where + "has 3 items for 2 positions");
}

TEST(CheckedOpenPolicy, TurnsWhateverIsThrownIntoAFaultOfThePolicy) {
  const std::string where = "policy 'guest', round 1: ";
  EXPECT_EQ(rank_fault({.on_rank = [] { throw std::out_of_range("boom"); }}), where + "boom");
  EXPECT_EQ(rank_fault({.on_rank = [] { throw 3; }}),
            where + "it threw something that is no std::exception");
  EXPECT_EQ(learn_fault({.on_update = [] { throw 3; }}),
            where + "it threw something that is no std::exception");
}

TEST(CheckedOpenPolicy, LearnsNoRowThatCannotBeKept) {
  const std::string where = "policy 'guest', round 1: a page adds ";
  EXPECT_EQ(learn_fault({.learned = 0x1p30}), "");
  EXPECT_EQ(learn_fault({.learned = std::numeric_limits<double>::quiet_NaN()}),
            where + "nan to a row, not a number below 2^31");
  EXPECT_EQ(learn_fault({.learned = 1e300}), where + "1e+300 to a row, not a number below 2^31");
  EXPECT_NE(learn_fault({.learned = -std::numeric_limits<double>::infinity()}), "");
}

TEST(CheckedOpenPolicy, LearnsNothingThatItsOwnFamilyCallsImpossible) {
  const std::string where = "policy 'guest', round 1: a page adds to the row of ";
  EXPECT_EQ(learn_fault({.item_fault = "clicks are above looks"}),
            where + "the item at position 1 what cannot be: clicks are above looks");
  EXPECT_EQ(learn_fault({.position_fault = "too many"}),
            where + "position 1 what cannot be: too many");
}

TEST(CheckedOpenPolicy, SaysAnInfiniteScoreAsTheGreatestNumberAndRefusesNoNumber) {
  EXPECT_EQ(rank_fault({.score = std::numeric_limits<double>::quiet_NaN()}),
            "policy 'guest', round 1: the score of item 0 is not a number");
  EXPECT_EQ(rank_fault({.score = std::numeric_limits<double>::infinity()}), "");
  EXPECT_EQ(guest_learner({.score = std::numeric_limits<double>::infinity()}).score(0, 0),
            std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace dcmrank::service
