#include "dcmrank/fit/counts_file.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/fit/counts_rows.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

const Needs kChainsAndContexts{.chains = true, .contexts = true};

// Pages of three queries, of lists of up to six of nine items, with ids short and long.
LogStatistics counted_pages(std::uint64_t seed, int pages, const Needs& needs) {
  LogStatistics log{Statistics(needs), {}};
  Rng rng(seed);
  std::vector<std::string> texts;
  for (int i = 0; i < 9; ++i) {
    const std::string number = std::to_string(rng.below(2) == 0 ? i : 9 + i);
    texts.push_back((i % 2 == 0 ? "i" : "an item of many letters ") + number);
  }
  for (int p = 0; p < pages; ++p) {
    const std::string query = "query " + std::to_string(rng.below(3));
    std::vector<Id> items;
    std::vector<std::uint8_t> clicks;
    const std::uint64_t first = rng.below(3);
    const std::uint64_t length = 1 + rng.below(6);
    for (std::uint64_t k = 0; k < length; ++k) {
      items.emplace_back(texts[first + (k * 5 + first) % 6]);
      clicks.push_back(rng.below(4) == 0 ? 1 : 0);
    }
    const Impression page{Id(query), items, clicks, 0};
    log.statistics.add(page);
    ++log.report.impressions;
    log.report.fingerprint += hash_of(page);
  }
  return log;
}

LogStatistics read_back(const std::string& text, const Needs& needs) {
  LogStatistics log{Statistics(needs), {}};
  merge_counts(text, "f", log);
  return log;
}

TEST(CountsFileForEm, OfPiecesMergesToThatOfTheWhole) {
  const LogStatistics a = counted_pages(1, 300, kChainsAndContexts);
  const LogStatistics b = counted_pages(2, 200, kChainsAndContexts);
  LogStatistics whole = a;
  whole.statistics.merge(b.statistics);
  whole.report.append(b.report, 0);
  for (const auto& [first, second] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    LogStatistics merged = read_back(print_counts(*first), kChainsAndContexts);
    merge_counts(print_counts(*second), "f", merged);
    EXPECT_EQ(print_counts(merged), print_counts(whole));
  }
  EXPECT_GT(whole.statistics.tails->size(), 30U);
}

// What less demanding models need is told by what more demanding ones need.
TEST(CountsFileForEm, GivesLessToWhoNeedsLess) {
  const std::string all = print_counts(counted_pages(3, 300, kChainsAndContexts));
  for (const Needs& needs : {Needs{}, Needs{.tails = true}, Needs{.positions = true},
                             Needs{.tails = true, .positions = true}, Needs{.chains = true}}) {
    const LogStatistics less = read_back(all, needs);
    EXPECT_EQ(print_counts(less), print_counts(counted_pages(3, 300, needs)));
    LogStatistics kept = read_back(all, kChainsAndContexts);
    kept.statistics.keep(needs);
    EXPECT_EQ(print_counts(kept), print_counts(less));
    EXPECT_TRUE(kChainsAndContexts.covers(needs));
    EXPECT_FALSE(needs.covers(kChainsAndContexts));
    EXPECT_THROW(read_back(print_counts(less), kChainsAndContexts), InputError);
  }
}

TEST(CountsFileForEm, AddsWhatBothHold) {
  LogStatistics chains = counted_pages(4, 100, {.chains = true, .contexts = true});
  const LogStatistics sets = counted_pages(5, 100, {.tails = true});
  chains.statistics.merge(sets.statistics);
  LogStatistics expected = counted_pages(4, 100, {.tails = true});
  expected.statistics.merge(sets.statistics);
  chains.report = expected.report = {};
  EXPECT_EQ(print_counts(chains), print_counts(expected));
}

TEST(CountsFileForEm, IsOfTheFirstVersionWhereItHoldsCountsAlone) {
  EXPECT_TRUE(print_counts(counted_pages(6, 10, {})).starts_with("dcmrank.counts\t1\n"));
  EXPECT_TRUE(print_counts(counted_pages(6, 10, {.tails = true}))
                  .starts_with("dcmrank.counts\t2\nholds\ttails\n"));
}

TEST(CountsFileForEm, IsRefusedWithTheLineThatIsWrong) {
  const std::string head =
      "dcmrank."
      "counts\t2\nholds\tchains\tcontexts\nlog\t1\t1\t0\nquery\tq\t1\t1\t1\t1\t0\t1\t0\t0\t0\n";
  const std::string items =
      "item\ta\t1\t1\t1\t1\t1\t1\nshown\t1\t0\t1\t1\nitem\tb\t0\t0\t0\t0\t1\t0\n";
  EXPECT_NO_THROW(read_back(head + items + "tail\t1\t1\t1\t2\nend\t5\n", kChainsAndContexts));
  const auto refused = [&](const std::string& text, const char* why) {
    try {
      read_back(text, kChainsAndContexts);
      ADD_FAILURE() << why;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused("dcmrank.counts\t2\n", "line 2: the file is cut off");
  refused("dcmrank.counts\t2\nlog\t1\t1\t0\n", "line 2: what the file holds is not said");
  refused("dcmrank.counts\t2\nholds\tmuch\n", "'much' is nothing");
  refused("dcmrank.counts\t2\nholds\ttails\nend\t0\n", "f: the counts lack");
  refused(head + "shown\t1\t0\t1\t1\n", "line 5: no item stands above");
  refused(head + items + "shown\t1\t0\t1\n", "line 8: a context needs four");
  refused(head + items + "shown\t3\t0\t1\t1\n", "'3' is not a whole number up to 2");
  refused(head + items + "shown\t0\t0\t1\t1\n", "count from 1");
  refused(head + items + "shown\t2\t2\t1\t1\n", "'2' is not a whole number up to 1");
  refused(head + items + "shown\t2\t1\t1\t2\n", "more clicks");
  refused(head + items + "tail\t1\t1\t1\n", "at least an item");
  refused(head + items + "tail\t1\t3\t1\t2\n", "'3' is not a whole number up to 2");
  refused(head + items + "tail\t1\t1\t1\t3\n", "'3' is not a whole number up to 2");
  refused(head + items + "tail\t1\t1\t1\t0\n", "items count from 1");
  refused(head + items + "tail\t1\t1\t0\t2\n", "last click");
  refused(head + items + "tail\t1\t0\t1\t2\n", "last click");
  refused(head + items + "tail\t1\t1\t1\t2\t1\n", "longer than the lists");
  refused(head + items + "tail\t1\t1\t1\t1\n", "an item twice");
  refused(head + items + "tail\t1\t1\t1\t2\nend\t4\n", "5 records, and its end counts 4");
}

// Rows that anybody adds up, in any order, are the counts again.
TEST(CountsRows, AddUpToTheWhole) {
  for (const Needs& needs : {Needs{}, Needs{.tails = true}, kChainsAndContexts}) {
    LogStatistics whole{Statistics(needs), {}};
    LogStatistics sum{Statistics(needs), {}};
    std::vector<std::pair<CountsRow, std::array<std::string, 2>>> rows;
    for (const std::uint64_t seed : {7U, 8U}) {
      LogStatistics part = counted_pages(seed, 150, needs);
      part.report.note(Skip::kRepeatedItem, "");
      visit_rows(part, [&](const CountsRow& row) {
        rows.push_back({row, {std::string(row.query), std::string(row.key)}});
      });
      whole.statistics.merge(part.statistics);
      whole.report.append(part.report, 0);
    }
    for (auto at = rows.rbegin(); at != rows.rend(); ++at) {
      at->first.query = at->second[0];
      at->first.key = at->second[1];
      add_row(at->first, sum);
    }
    EXPECT_EQ(print_counts(sum), print_counts(whole));
  }
}

TEST(CountsRows, RefuseWhatIsNone) {
  LogStatistics log{Statistics(kChainsAndContexts), {}};
  const auto key = [](std::string_view text) {
    std::string parts(text);
    for (char& c : parts) c = c == '|' ? '\0' : c;
    return parts;
  };
  const auto refused = [&](RowKind kind, std::string_view text, std::int64_t count) {
    const std::string parts = key(text);
    EXPECT_THROW(add_row({"q", kind, parts, {count}}, log), InputError) << text;
  };
  refused(RowKind::kItem, "a", -1);
  refused(RowKind::kItem, "a", std::int64_t{1} << 60);
  refused(RowKind::kItem, "", 1);
  refused(RowKind::kSkipped, "no reason", 1);
  refused(RowKind::kPosition, "0", 1);
  refused(RowKind::kPosition, "257", 1);
  refused(RowKind::kContext, "a|1", 1);
  refused(RowKind::kContext, "a|1|1", 1);
  refused(RowKind::kTail, "1|a", 1);
  refused(RowKind::kTail, "1||b", 1);
  refused(RowKind::kTail, "0|a|b", 1);
  refused(RowKind::kTail, "256|a|b", 1);
  const std::string tail = key("3|a|b|c");
  EXPECT_NO_THROW(add_row({"q", RowKind::kTail, tail, {1}}, log));
  EXPECT_EQ(log.statistics.counts.positions_of_query(0), 5U);
}

}  // namespace
}  // namespace dcmrank
