// Pages of a list that comes again are counted together: nobody can tell.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/fit/counts_file.h"
#include "dcmrank/fit/statistics.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/source/text_source.h"

namespace dcmrank {
namespace {

// Takes pages one by one.
class OneByOne : public ImpressionSink {
 public:
  explicit OneByOne(const Needs& needs) : statistics(needs) {}
  void add(const Impression& impression) override { statistics.add(impression); }
  Statistics statistics;
};

struct Written {
  std::string counts;
  LogReport report;
};

template <class Sink>
Written written(Sink& sink, const Statistics& statistics, const std::string& text,
                const LogFormat& format) {
  TextSource source(text);
  const LogReport report = read_source(source, format, sink, false);
  return {print_counts({statistics, report}), report};
}

void expect_same(const std::string& text, const LogFormat& format, const Needs& needs) {
  Statistics together(needs);
  OneByOne apart(needs);
  const Written a = written(together, together, text, format);
  const Written b = written(apart, apart.statistics, text, format);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.report.fingerprint, b.report.fingerprint);
  EXPECT_EQ(a.report.impressions, b.report.impressions);
  EXPECT_EQ(a.report.clicks, b.report.clicks);
}

// Some lists often, many seldom, so that lists make room for others; up to three clicks.
std::string log_with_repeats(const LogFormat& format, int pages) {
  Rng rng(7);
  std::string text;
  for (int i = 0; i < pages; ++i) {
    const std::uint64_t which = rng() % 4 != 0 ? rng() % 20 : rng() % 3000;
    std::vector<std::string> names;
    for (std::uint64_t k = 0; k < 2 + which % 9; ++k) {
      names.push_back(fmt::format("{}", (which * 7 + k * 13) % 101 + 1000 * k));
    }
    const std::vector<Id> items(names.begin(), names.end());
    std::vector<std::uint8_t> clicks(items.size(), 0);
    for (std::uint64_t c = rng() % 4; c > 0; --c) clicks[rng() % clicks.size()] = 1;
    const std::string query = fmt::format("q{}", which % 50);
    format.write({Id(query), items, clicks}, static_cast<std::uint64_t>(i / 3), text);
  }
  return text;
}

TEST(Repeats, AreCountedAsIfTheyCameOneByOne) {
  for (const LogFormat* format : {&kTsv, &kYandex2011}) {
    const std::string text = log_with_repeats(*format, effort(20'000, 4'000));
    expect_same(text, *format, {});
    expect_same(text, *format, {.tails = true, .positions = true});
  }
}

TEST(Repeats, OfOneListReachCountsThatTakeMoreThanSixteenBits) {
  std::string text;
  for (int i = 0; i < 70'000; ++i) text += i % 3 == 0 ? "q\ta,b,c\tb\n" : "q\ta,b,c\t\n";
  expect_same(text, kTsv, {});
}

// Every pair of clicks on lists of 12 and of 70: more than are put off, and more than there are
// bits.
TEST(Repeats, WithSeveralClicksMakeRoomForOthers) {
  std::string text;
  for (const std::size_t size : {12U, 70U}) {
    std::string items = "0";
    for (std::size_t k = 1; k < size; ++k) items += fmt::format(",{}", k);
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) {
        for (std::size_t n = 0; n <= a % 3; ++n) text += fmt::format("q\t{}\t{},{}\n", items, a, b);
        text += fmt::format("q\t{}\t\n", items);
      }
    }
  }
  expect_same(text, kTsv, {});
}

TEST(Repeats, AreHandedOverWhereReadingStops) {
  Statistics statistics;
  TextSource source("q\ta,b\t\nq\ta,b\ta\nq\ta,b\ta\nbad\nq\ta,b\t\n");
  const LogReport report = read_source(source, kTsv, statistics, true);
  EXPECT_EQ(report.impressions, 3U);
  EXPECT_EQ(statistics.counts.impressions_of_query(0), 3);
  EXPECT_EQ(statistics.counts.of_item(0).prefix.attracted, 2);
}

}  // namespace
}  // namespace dcmrank
