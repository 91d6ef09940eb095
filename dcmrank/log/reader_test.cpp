#include "dcmrank/log/reader.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/base/error.h"
#include "dcmrank/log/lines.h"
#include "dcmrank/log/notes_test.h"
#include "dcmrank/source/temporary_file_test.h"
#include "dcmrank/source/text_source.h"

namespace dcmrank {
namespace {

struct Reading {
  std::vector<std::string> impressions;
  LogReport report;
};

Reading reading(const LogFormat& format, std::string_view text, std::size_t piece = SIZE_MAX) {
  TextSource source(text, piece);
  Notes notes;
  LogReport report = read_source(source, format, notes, false);
  return {notes.all, std::move(report)};
}

using Strings = std::vector<std::string>;

// Pages in memory, one a part.
class ThreePages : public PageTable {
 public:
  std::size_t parts() const override { return pages_.size(); }
  std::uint64_t rows() const override { return pages_.size(); }
  void read(std::size_t part, ImpressionSink& sink, const ReadControl& /*control*/) const override {
    const std::vector<Id> items{Id("a"), Id("b")};
    sink.add({Id("q"), items, pages_[part]});
  }

 private:
  std::vector<std::vector<std::uint8_t>> pages_{{0, 1}, {0, 0}, {1, 1}};
};

TEST(PageTable, IsReadLikeTheFileWithTheSamePages) {
  std::vector<std::shared_ptr<Notes>> notes(3);
  const Log log = log_of(std::make_shared<ThreePages>());
  const LogReport report = read_log(
      log, {2, false, {}}, [&](std::size_t p) { return notes[p] = std::make_shared<Notes>(); });
  const auto file = reading(kTsv, "q\ta,b\tb\nq\ta,b\t\nq\ta,b\ta,b\n");
  Strings all;
  for (const auto& part : notes) all.push_back(part->all.at(0));
  EXPECT_EQ(all, file.impressions);
  EXPECT_EQ(report.lines, file.report.lines);
  EXPECT_EQ(report.impressions, file.report.impressions);
  EXPECT_EQ(report.clicks, file.report.clicks);
  EXPECT_EQ(report.fingerprint, file.report.fingerprint);
  EXPECT_TRUE(log.can_read_again);
}

TEST(Yandex2011, GivesAClickToTheLatestQueryOfItsSession) {
  const auto read = reading(kYandex2011,
                            "1\t0\tQ\tq\t0\ta\tb\n1\t1\tC\tb\n1\t2\tQ\tr\t0\tc\td\n1\t3\tC\tc\n"
                            "2\t0\tQ\tq\t0\ta\tb\n");
  EXPECT_EQ(read.impressions, (Strings{"q: a b*", "r: c* d", "q: a b"}));
  EXPECT_EQ(read.report.lines, 5U);
  EXPECT_EQ(read.report.clicks, 2U);
}

TEST(Yandex2011, CountsARepeatedClickOnceAndSkipsWhatWasNotShown) {
  const auto read =
      reading(kYandex2011, "1\t0\tQ\tq\t0\ta\tb\n1\t1\tC\tb\n1\t2\tC\tb\n1\t3\tC\tz\n");
  EXPECT_EQ(read.impressions, (Strings{"q: a b*"}));
  EXPECT_EQ(read.report.count(Skip::kRepeatedClick), 1U);
  EXPECT_EQ(read.report.count(Skip::kClickNotShown), 1U);
  EXPECT_FALSE(read.report.first_fault());
}

TEST(Yandex2011, SkipsTheClicksOfAQueryThatItSkipped) {
  const auto read = reading(kYandex2011, "1\t0\tQ\tq\t0\ta\n1\t1\tQ\tr\t0\tb\tb\n1\t2\tC\ta\n");
  EXPECT_EQ(read.impressions, (Strings{"q: a"}));
  EXPECT_EQ(read.report.count(Skip::kRepeatedItem), 1U);
  EXPECT_EQ(read.report.count(Skip::kClickOfSkippedQuery), 1U);
}

TEST(Yandex2011, CountsMalformedLinesByReasonWithTheFirstOfEach) {
  const auto read = reading(kYandex2011,
                            "9\t0\tC\ta\n1\t0\tQ\tq\n1\tx\tC\ta\n1\n1\t0\tZ\ta\n1\t0\tQ\tq\t0\t\n"
                            "2\t0\tQ\tq\t0\ta\n2\t1\tC\ta\tb\n1\n");
  EXPECT_EQ(read.report.count(Skip::kClickBeforeQuery), 1U);
  EXPECT_EQ(read.report.count(Skip::kTooFewFields), 3U);
  EXPECT_EQ(read.report.count(Skip::kNotANumber), 1U);
  EXPECT_EQ(read.report.count(Skip::kUnknownRecord), 1U);
  EXPECT_EQ(read.report.count(Skip::kEmptyId), 1U);
  EXPECT_EQ(read.report.count(Skip::kTooManyFields), 1U);
  EXPECT_EQ(read.report.first[static_cast<std::size_t>(Skip::kTooFewFields)]->line, 2U);
  EXPECT_EQ(read.impressions, (Strings{"q: a"}));
}

TEST(Yandex2014, GivesAClickToThePageThatItNames) {
  const auto read =
      reading(kYandex2014,
              "1\tM\t3\t77\n1\t0\tQ\t0\tq\t5,6\ta,1\tb,1\n1\t1\tQ\t1\tr\t5\tc,1\td,2\n"
              "1\t2\tC\t0\ta\n1\t3\tC\t1\td\n1\t4\tC\t7\td\n");
  EXPECT_EQ(read.impressions, (Strings{"q: a* b", "r: c d*"}));
  EXPECT_EQ(read.report.count(Skip::kClickOnUnknownPage), 1U);
}

TEST(Yandex2014, UsesATestQueryOnlyWhereItHasAClick) {
  const auto read = reading(
      kYandex2014, "1\t0\tT\t0\tq\t5\ta,1\tb,1\n1\t1\tC\t0\tb\n2\t0\tT\t0\tq\t5\ta,1\tb,1\n");
  EXPECT_EQ(read.impressions, (Strings{"q: a b*"}));
  EXPECT_EQ(read.report.count(Skip::kTestQuery), 1U);
}

TEST(Yandex2014, CountsMalformedLines) {
  const auto read = reading(kYandex2014,
                            "1\tM\tx\t7\n1\t0\tQ\t0\tq\t5\ta\n1\t0\tC\t0\ta\n2\t0\tC\t0\ta\n"
                            "1\tz\tC\t0\ta\n1\t0\tX\t0\n3\n");
  EXPECT_EQ(read.report.count(Skip::kNotANumber), 2U);
  EXPECT_EQ(read.report.count(Skip::kTooFewFields), 2U);
  EXPECT_EQ(read.report.count(Skip::kClickOfSkippedQuery), 1U);
  EXPECT_EQ(read.report.count(Skip::kClickBeforeQuery), 1U);
  EXPECT_EQ(read.report.count(Skip::kUnknownRecord), 1U);
  EXPECT_EQ(read.impressions, Strings{});
}

TEST(Tsv, HasOneImpressionALine) {
  const auto read = reading(kTsv, "q\ta,b,c\tc,a\nq\ta\t\nr\tx,y\tz,y,y\n");
  EXPECT_EQ(read.impressions, (Strings{"q: a* b c*", "q: a", "r: x y*"}));
  EXPECT_EQ(read.report.count(Skip::kClickNotShown), 1U);
  EXPECT_EQ(read.report.count(Skip::kRepeatedClick), 1U);
}

TEST(Tsv, TakesAnyTextUpToAKibibyteAsAnId) {
  const std::string longest(1024, 'x');
  const auto read =
      reading(kTsv, fmt::format("caf\xc3\xa9 au lait\t{0},http://a/?b\t{0}\nq\t{0}x\t\n", longest));
  EXPECT_EQ(read.impressions,
            (Strings{fmt::format("caf\xc3\xa9 au lait: {}* http://a/?b", longest)}));
  EXPECT_EQ(read.report.count(Skip::kLongId), 1U);
}

TEST(Tsv, TellsIdsOfEverySizeApart) {
  for (std::size_t n = 1; n < 40; ++n) {
    std::string a(n, 'a');
    std::string b = a;
    b[n / 2] = 'b';
    const auto read = reading(kTsv, fmt::format("q\t{0},{1},{0}a\t{1}\n", a, b));
    EXPECT_EQ(read.impressions, (Strings{fmt::format("q: {0} {1}* {0}a", a, b)})) << n;
  }
}

TEST(LogReader, NotesNulBytesAndWhatIsNotUtf8) {
  const auto read = reading(kTsv, std::string("q\ta\0b\t\nq\t\xff\t\nq\tc\t\n", 17));
  EXPECT_EQ(read.report.count(Skip::kNulByte), 1U);
  EXPECT_EQ(read.report.count(Skip::kNotUtf8), 1U);
  EXPECT_EQ(read.impressions, (Strings{"q: c"}));
}

TEST(LogReader, ToleratesCarriageReturnsAndAMissingNewline) {
  const auto read = reading(kTsv, "q\ta,b\tb\r\nq\tb,a\ta");
  EXPECT_EQ(read.impressions, (Strings{"q: a b*", "q: b a*"}));
  EXPECT_EQ(read.report.count(Skip::kCarriageReturn), 1U);
  EXPECT_EQ(read.report.count(Skip::kNoNewline), 1U);
}

TEST(LogReader, SkipsALineWithACarriageReturnInside) {
  const auto read = reading(kTsv, "q\ta\r,b\ta\nq\ta\t\r\r\nq\tc\t\n");
  EXPECT_EQ(read.report.count(Skip::kStrayReturn), 2U);
  EXPECT_EQ(read.impressions, (Strings{"q: c"}));
}

TEST(LogReader, SkipsAnOverlongLineAndReadsOn) {
  for (const std::size_t size : {kMaxLine + 1, std::size_t{700'000}, std::size_t{5'000'000}}) {
    const std::string text = fmt::format("q\ta\t\n{}\nq\tb\t\n", std::string(size, 'x'));
    for (const std::size_t piece : {effort<std::size_t>(1000, 50'000), SIZE_MAX}) {
      const auto read = reading(kTsv, text, piece);
      EXPECT_EQ(read.impressions, (Strings{"q: a", "q: b"})) << size;
      EXPECT_EQ(read.report.count(Skip::kLongLine), 1U);
      EXPECT_EQ(read.report.lines, 3U);
    }
  }
}

TEST(LogReader, ReadsTheLongestListOfTheLongestIds) {
  std::string line = "q\t";
  for (std::size_t i = 0; i < kMaxPositions; ++i) {
    line += fmt::format("{}{}{}", i > 0 ? "," : "", std::string(kMaxId - 4, 'x'), 1000 + i);
  }
  EXPECT_EQ(reading(kTsv, fmt::format("{}\t\n", line), 999).report.impressions, 1U);
  EXPECT_EQ(reading(kTsv, fmt::format("{},y\t\n", line), 999).report.count(Skip::kTooManyItems),
            1U);
}

TEST(LogReader, NotesAnEmptyFile) {
  EXPECT_EQ(reading(kTsv, "").report.count(Skip::kEmptyFile), 1U);
}

TEST(LogReader, RefusesALogWithoutAnImpressionAndSaysWhy) {
  const auto read = reading(kTsv, "nothing\n");
  try {
    require_impressions(read.report);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("too few fields"), std::string::npos);
  }
}

TEST(LogReader, StopsAtTheFirstFaultWhereItIsStrict) {
  TextSource source("q\ta\t\nq\nq\tb\t\n");
  Notes notes;
  const LogReport report = read_source(source, kTsv, notes, true);
  EXPECT_EQ(report.first_fault(), Skip::kTooFewFields);
  EXPECT_EQ(notes.all, (Strings{"q: a"}));
}

TEST(LogFormats, WriteWhatTheyReadAndKnowTheirOwn) {
  const std::vector<Id> items{Id("a"), Id("b"), Id("c")};
  const std::vector<std::uint8_t> clicks{0, 1, 1};
  for (const LogFormat* format : log_formats()) {
    std::string text;
    for (std::uint64_t session = 0; session < 2; ++session) {
      format->write({Id("q"), items, clicks}, session, text);
    }
    const TemporaryFile file(text);
    for (const LogFormat* named : {format, static_cast<const LogFormat*>(nullptr)}) {
      if (named == nullptr && format->recognises == nullptr) continue;
      const Log log = open_log({file.path()}, LogShape{named, {}});
      EXPECT_EQ(log.files[0].format->format.name, format->name);
      const auto notes = std::make_shared<Notes>();
      const LogReport report = read_log(log, {1, false, {}}, [&](std::size_t) { return notes; });
      EXPECT_EQ(notes->all, (Strings{"q: a b* c*", "q: a b* c*"})) << format->name;
      EXPECT_FALSE(report.first_fault()) << format->name;
    }
  }
}

}  // namespace
}  // namespace dcmrank
