#include "dcmrank/fit/statistics.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/fit/counts_file.h"
#include "dcmrank/fit/interval.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/model/prior.h"
#include "dcmrank/source/text_source.h"

namespace dcmrank {
namespace {

// Sessions of one to three queries with lists of different lengths, and some lines of nonsense.
std::string random_log(std::uint64_t seed, int sessions) {
  Rng rng(seed);
  std::string log;
  for (int s = 0; s < sessions; ++s) {
    const std::string session = std::to_string(seed * 1000000 + static_cast<std::uint64_t>(s));
    for (std::uint64_t q = 0; q <= rng.below(3); ++q) {
      log += session + "\t0\tQ\tquery" + std::to_string(rng.below(5)) + "\t0";
      const std::uint64_t first = rng.below(4);
      const std::uint64_t length = 1 + rng.below(6);
      for (std::uint64_t k = 0; k < length; ++k) log += "\titem" + std::to_string(first + k);
      log += '\n';
      while (rng.below(2) == 0) {
        log += session + "\t1\tC\titem" + std::to_string(first + rng.below(length + 1)) + "\n";
      }
      if (rng.below(20) == 0) log += "nonsense\n";
    }
  }
  return log;
}

class LogFile {
 public:
  explicit LogFile(const std::string& text) {
    std::string name = std::filesystem::temp_directory_path() / "dcmrank-log-XXXXXX";
    ::close(::mkstemp(name.data()));
    path = name;
    std::ofstream(path, std::ios::binary) << text;
  }
  ~LogFile() { std::filesystem::remove(path); }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  std::string path;
};

std::string counts_of(const std::string& path, std::uint64_t part_bytes, unsigned threads) {
  const Log log = open_log({path}, kYandex2011, part_bytes);
  return print_counts(collect(log, {threads, false, {}}, {}));
}

Statistics statistics_of(const std::string& text, const Needs& needs = {}) {
  Statistics statistics(needs);
  TextSource source(text);
  read_source(source, kYandex2011, statistics, false);
  return statistics;
}

TEST(Collect, GivesTheSameForAnyPartsAndThreads) {
  const LogFile file(random_log(1, 400));
  const std::string whole = counts_of(file.path, kPartBytes, 1);
  for (const std::uint64_t part : {1U, 64U, 500U, 5000U}) {
    for (const unsigned threads : {1U, 3U}) EXPECT_EQ(counts_of(file.path, part, threads), whole);
  }
}

TEST(Collect, FingerprintsALogWhateverItsOrderAndParts) {
  const auto fingerprint = [](const std::string& text, std::uint64_t part) {
    const LogFile file(text);
    return collect(open_log({file.path}, kYandex2011, part), {2, false, {}}, {}).report.fingerprint;
  };
  const std::string a = random_log(1, 50);
  const std::string b = random_log(2, 50);
  EXPECT_EQ(fingerprint(a + b, kPartBytes), fingerprint(b + a, 300));
  EXPECT_NE(fingerprint(a + b, kPartBytes), fingerprint(a, kPartBytes));
  EXPECT_NE(fingerprint("1\t0\tQ\tq\t0\ta\tb\n1\t1\tC\ta\n", kPartBytes),
            fingerprint("1\t0\tQ\tq\t0\ta\tb\n1\t1\tC\tb\n", kPartBytes));
}

TEST(Collect, StopsAtTheFirstFaultOfTheFileWhateverThePart) {
  const LogFile file(random_log(2, 300) + "bad\n" + random_log(3, 300) + "worse\n");
  for (const std::uint64_t part : {std::uint64_t{300}, kPartBytes}) {
    const Log log = open_log({file.path}, kYandex2011, part);
    std::string message;
    try {
      collect(log, {2, true, {}}, {});
    } catch (const InputError& error) {
      message = error.what();
    }
    EXPECT_NE(message.find("nonsense"), std::string::npos) << message;
    const Log again = open_log({file.path}, kYandex2011, kPartBytes);
    EXPECT_THROW(collect(again, {1, true, {}}, {}), InputError);
  }
}

// The slow and obvious way.
TEST(CountsTable, AgreesWithAPlainRecount) {
  struct Recount : ImpressionSink {
    void add(const Impression& impression) override {
      std::size_t last = 0;
      for (std::size_t k = 0; k < impression.clicks.size(); ++k) {
        if (impression.clicks[k] != 0) last = k + 1;
      }
      for (std::size_t k = 0; k < impression.items.size(); ++k) {
        const auto key =
            std::pair(std::string(impression.query.text), std::string(impression.items[k].text));
        if (last == 0 || k < last) shown[key] += 1;
        clicked[key] += impression.clicks[k];
      }
    }
    std::map<std::pair<std::string, std::string>, double> shown;
    std::map<std::pair<std::string, std::string>, double> clicked;
  };
  const std::string text = random_log(4, 500);
  TextSource source(text);
  Recount recount;
  read_source(source, kYandex2011, recount, false);
  const Statistics statistics = statistics_of(text);
  const CountsTable& table = statistics.counts;
  for (std::uint32_t i = 0; i < table.item_count(); ++i) {
    const auto key = std::pair(std::string(table.query_ids().text(table.item_ids().scope(i))),
                               std::string(table.item_ids().text(i)));
    EXPECT_EQ(table.of_item(i).prefix, (Counts{recount.shown[key], recount.clicked[key]}));
  }
  EXPECT_EQ(table.item_count(), recount.clicked.size());
}

TEST(Statistics, OfPiecesMergeToThoseOfTheWhole) {
  const Needs needs{true, true, 1'000'000};
  Statistics merged = statistics_of(random_log(5, 200), needs);
  merged.merge(statistics_of(random_log(6, 200), needs));
  const Statistics whole = statistics_of(random_log(5, 200) + random_log(6, 200), needs);
  EXPECT_EQ(print_counts({merged, {}}), print_counts({whole, {}}));
  const auto tails = [](const Statistics& statistics) {
    std::vector<std::string> rows;
    make_sample(statistics, {}).tails([&](const Tail& tail) {
      rows.push_back(std::to_string(tail.query) + "/" + std::to_string(tail.last) + "/" +
                     std::to_string(tail.impressions));
      for (const std::uint32_t i : tail.items) rows.back() += " " + std::to_string(i);
    });
    return rows;
  };
  EXPECT_EQ(tails(merged), tails(whole));
  EXPECT_GT(tails(whole).size(), 20U);
}

TEST(Sample, HasTheMostFrequentQueriesFirst) {
  const Sample all = make_sample(statistics_of(random_log(7, 300)), {});
  for (std::size_t q = 1; q < all.queries.size(); ++q) {
    EXPECT_GE(all.queries[q - 1].counts.impressions, all.queries[q].counts.impressions);
  }
  const Sample top = make_sample(statistics_of(random_log(7, 300)), {2, 0});
  ASSERT_EQ(top.queries.size(), 2U);
  EXPECT_EQ(top.queries[1].id, all.queries[1].id);
  EXPECT_EQ(top.items.size(), top.queries[1].end);
}

TEST(CountsFile, OfPiecesMergesToThatOfTheWhole) {
  LogStatistics merged;
  for (const std::uint64_t seed : {8U, 9U}) {
    const std::string piece = print_counts({statistics_of(random_log(seed, 100)), {}});
    merge_counts(piece, "piece", merged);
  }
  const Statistics whole = statistics_of(random_log(8, 100) + random_log(9, 100));
  EXPECT_EQ(print_counts(merged), print_counts({whole, {}}));
}

TEST(CountsFile, RefusesWhatIsNotOneWithItsLine) {
  const std::string good =
      "dcmrank."
      "counts\t1\nlog\t1\t1\t0\nquery\tq\t1\t1\t0\t0\t0\nitem\ta\t1\t0\t1\t0\t1\t0\nend\t2\n";
  LogStatistics log;
  EXPECT_NO_THROW(merge_counts(good, "f", log));
  const auto refused = [](const std::string& text, const char* why) {
    LogStatistics ignored;
    try {
      merge_counts(text, "f", ignored);
      ADD_FAILURE() << why;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused("", "not a counts file: it is empty");
  refused("hello", "line 1: not a counts file, as 'dcmrank count' writes it");
  refused("1\ta,b\t\n", "line 1: not a counts file, as 'dcmrank count' writes it");
  refused("dcmrank.counts\t1\r\n", "lines end in CR LF");
  refused("dcmrank.counts\tx\n", "'x' is no version");
  refused("dcmrank.counts\t3\n", "later version");
  refused(good.substr(0, good.size() - 6), "line 5: the file is cut off");
  refused("dcmrank.counts\t1\nitem\ta\t1\t0\t1\t0\t1\t0\n", "before any query");
  refused("dcmrank.counts\t1\nquery\tq\t-1\n", "'-1' is not a whole number");
  refused("dcmrank.counts\t1\nquery\tq\t1\t2\n", "four numbers");
  refused("dcmrank.counts\t1\nskipped\tx\t2\n", "'x' is not a known reason");
  refused("dcmrank.counts\t1\nwhat\n", "'what' is not a record");
  refused("dcmrank.counts\t1\nquery\t\t1\n", "not an id");
  refused("dcmrank.counts\t1\nlog\t1\n", "2 fields instead of 4");
  refused("dcmrank.counts\t1\nlog\t1\t1\t0\txyz\n", "not 16 hexadecimal digits");
  refused("dcmrank.counts\t1\nend\t1\n", "records are missing: 0 of 1 are there");
  refused("dcmrank.counts\t1\nend\t0\n", "records are missing: what was read of the log");
  refused(good + "x", "text after the end");
  const auto changed = [&](const char* from, const char* to) {
    std::string text = good;
    return text.replace(text.find(from), std::string(from).size(), to);
  };
  refused(changed("item\ta\t1\t0", "item\ta\t1\t2"), "line 4: more clicks");
  refused(changed("item\ta\t1\t0", "item\ta\t2\t0"), "line 4: more clicks");
  refused(changed("query\tq\t1\t1\t0", "query\tq\t1\t1\t2"), "line 3: more clicks");
  refused(changed("query\tq\t1\t1", "query\tq\t1\t2"), "line 3: more clicks");
}

TEST(Prior, IsAppliedInTheEstimateAlone) {
  EXPECT_DOUBLE_EQ(estimate({8, 2}, {1, 1}), 0.3);
  EXPECT_DOUBLE_EQ(estimate({8, 2}, {0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(estimate({0, 0}, {1, 3}), 0.25);
  EXPECT_DOUBLE_EQ(estimate({0, 0}, {0, 0}), 0.5);
}

TEST(WilsonInterval, HoldsTheTextbookValues) {
  const Interval interval = wilson_interval({100, 20});
  EXPECT_NEAR(interval.low, 0.1334, 1e-4);
  EXPECT_NEAR(interval.high, 0.2888, 1e-4);
  EXPECT_EQ(wilson_interval({0, 0}).high, 1);
}

// What does not fit into 32 bits is counted all the same.
TEST(CountsTable, AddsUpLargeCounts) {
  CountsTable table;
  std::vector<std::uint32_t> numbers;
  const std::vector<Id> items{Id("a"), Id("an id of more than sixteen bytes")};
  const std::vector<std::uint8_t> clicks{0, 1};
  const std::uint32_t q = table.add({Id("q"), items, clicks}, numbers);
  constexpr double kHuge = 3e9;
  const ItemCounts huge{{kHuge, 2}, {kHuge, 1}, kHuge, 1};
  const QueryCounts many{kHuge, {{kHuge, 5, 4, 0}, {kHuge, 3, 2, 1}, {1, 0, 0, 0}}};
  table.add_to_item(numbers[0], huge);
  table.add_to_item(numbers[0], huge);
  table.add_to_query(q, many);
  CountsTable sum;
  sum.merge(table);
  sum.merge(table);
  for (const auto& [counts, times] : {std::pair(&table, 1.0), std::pair(&sum, 2.0)}) {
    const std::uint32_t at = counts->query_ids().find(0, Id("q"));
    const std::uint32_t item = counts->item_ids().find(at, items[0]);
    EXPECT_EQ(counts->of_item(item).impressions, times * (2 * kHuge + 1));
    EXPECT_EQ(counts->of_item(item).prefix, (Counts{times * (2 * kHuge + 1), times * 4}));
    EXPECT_EQ(counts->impressions_of_item(item), times * (2 * kHuge + 1));
    EXPECT_EQ(counts->impressions_of_query(at), times * (kHuge + 1));
    EXPECT_EQ(counts->positions_of_query(at), 3U);
    EXPECT_EQ(counts->of_query(at).positions[1],
              (PositionCounts{times * (kHuge + 1), times * 4, times * 3, times * 2}));
    const std::uint32_t other = counts->item_ids().find(at, items[1]);
    EXPECT_EQ(counts->of_item(other).last, times);
    EXPECT_EQ(counts->item_ids().text(other), items[1].text);
  }
}

}  // namespace
}  // namespace dcmrank
