// The parts of the service that can be tested without one.
#include <gtest/gtest.h>

#include "dcmrank/base/duration.h"
#include "dcmrank/ledger/impression.h"
#include "dcmrank/ledger/learner.h"
#include "dcmrank/ledger/row.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/service/bodies.h"
#include "dcmrank/service/clock.h"

namespace dcmrank::service {
namespace {

TEST(FixedNumbers, AreReadBackAsTheyWereWritten) {
  const Row row{0, 1, -1, 63, -64, 64, std::int64_t{1} << 61U, -(std::int64_t{1} << 61U)};
  std::string blob = row_blob(row);
  EXPECT_EQ(parse_row(blob), row);
  std::vector<double> numbers(9, 1);
  read_row(blob, numbers);
  EXPECT_EQ(numbers, (std::vector<double>{0, 0x1p-32, -0x1p-32, 63 * 0x1p-32, -0x1p-26, 0x1p-26,
                                          0x1p29, -0x1p29, 0}));
  while (blob.size() > 1) {
    blob.pop_back();
    EXPECT_THROW(parse_row(blob), std::runtime_error);
  }
}

TEST(Clock, NeverStartsBeforeWhatIsStored) {
  const Time far = 4'000'000'000'000;  // the wall clock was set back since
  const Clock clock(far);
  EXPECT_GE(clock.now(), far);
  EXPECT_LT(clock.now(), far + 60'000);
}

TEST(Durations, AreReadAndPrinted) {
  for (const char* text : {"1ms", "45s", "30m", "2h", "7d"}) {
    EXPECT_EQ(print_duration(*parse_duration(text)), text);
  }
  for (const char* text : {"", "s", "0s", "-1s", "1", "1 s", "1w", "99999999999d", "1e3s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(ImpressionIds, AreReadBackAndTellTheirOwnFromOthers) {
  const std::string id = made_id(0x123456789abcdef0, 0xdeadbeef);
  EXPECT_EQ(parse_made_id(id)->number, 0x123456789abcdef0U);
  EXPECT_EQ(parse_made_id(id)->word, 0xdeadbeefU);
  for (const std::string& other :
       {id + "0", id.substr(1), std::string("mine"), std::string("i-0000010000000001D8DB0C09")}) {
    EXPECT_FALSE(parse_made_id(other)) << other;
  }
}

// Whatever is taken back, in whatever order, leaves no trace.
TEST(Contributions, LeaveNothingBehindWhenTheyAreTakenBack) {
  for (const char* policy : {"dcm-ots", "dcm-kl-ucb", "dcm-ts:counting=revised-em", "ranked-kl-ucb",
                             "ranked-exp3", "ranked-exp3:duplicates=random"}) {
    Learner learner(parse_policy_spec(policy), 3);
    Rng rng(1);
    QueryState state;
    std::vector<std::pair<Page, Contribution>> taught;
    const std::vector<std::string> names{"a", "b", "c", "d", "e"};
    std::vector<Candidate> candidates;
    for (const std::string& name : names) candidates.push_back({name, id_hash(name), {}});
    for (int n = 0; n < 200; ++n) {
      Ranking ranking;
      learner.take(state, candidates, {}, 1);
      learner.rank(rng, ranking);
      Page page;
      for (const Item e : ranking.items) page.items.push_back(names[e]);
      page.gains = ranking.gains;
      std::vector<std::uint8_t> clicks(rng.below(4));
      for (auto& click : clicks) click = rng.below(3) == 0 ? 1 : 0;
      Contribution contribution = learner.learn(state, page, clicks);
      apply(state, page, contribution, 1);
      taught.emplace_back(page, contribution);
    }
    EXPECT_EQ(state.rounds, 200U) << policy;
    while (!taught.empty()) {
      const std::size_t n = rng.below(taught.size());
      apply(state, taught[n].first, taught[n].second, -1);
      taught.erase(taught.begin() + static_cast<std::ptrdiff_t>(n));
      learner.take(state, candidates, {}, 1);  // also what is left in between can be ranked by
      Ranking ranking;
      learner.rank(rng, ranking);
      EXPECT_EQ(ranking.items.size(), 3U);
    }
    EXPECT_EQ(state.rounds, 0U);
    for (const auto& entry : state.items.entries()) {
      EXPECT_TRUE(entry.row().empty()) << policy;
    }
    for (const Row& row : state.positions) {
      EXPECT_TRUE(row.empty()) << policy;
    }
  }
}

TEST(ItemRows, AreFoundWhereverTheyAre) {
  ItemRows rows;
  for (int n = 0; n < 1000; ++n) rows.add("item" + std::to_string(n), Row{n}, 1);
  for (int n = 0; n < 1000; ++n) {
    const auto row = rows.find("item" + std::to_string(n));
    EXPECT_TRUE(row[0] == n) << n;
  }
  EXPECT_EQ(rows.entry("item1000", id_hash("item1000")), nullptr);
  const std::size_t bytes = rows.bytes();
  rows.clear();
  EXPECT_LT(rows.bytes(), bytes);
}

}  // namespace
}  // namespace dcmrank::service
