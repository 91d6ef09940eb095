// Logs that end too early, and rows that cannot be read.
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/log/notes_test.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/source/temporary_file_test.h"
#include "dcmrank/source/text_source.h"

namespace dcmrank {
namespace {

using Strings = std::vector<std::string>;

struct CutLog {
  Strings pages;
  LogReport report;
};

CutLog read_table_text(const std::string& text) {
  const TemporaryFile file(text);
  const auto notes = std::make_shared<Notes>();
  const LogReport report = read_log(open_log({file.path()}, LogShape{}), {1, false, {}},
                                    [&](std::size_t) { return notes; });
  return {notes->all, report};
}

const std::string kLong = "query,rank,url,click\nq,1,a,0\nq,2,b,1\nr,1,c,0\n";

TEST(CutLogs, SayThatTheLastRowOfALongTableHasNoEnd) {
  const auto whole = read_table_text(kLong + "r,2,d,1\n");
  EXPECT_EQ(whole.pages, (Strings{"q: a b*", "r: c d*"}));
  EXPECT_EQ(whole.report.count(Skip::kNoNewline), 0U);
  const auto cut = read_table_text(kLong + "r,2,d,1");
  EXPECT_EQ(cut.pages, whole.pages);
  EXPECT_EQ(cut.report.count(Skip::kNoNewline), 1U);
  const auto wide = read_table_text("query,items,clicks\nq,a b,b");
  EXPECT_EQ(wide.report.count(Skip::kNoNewline), 0U);
}

TEST(CutLogs, LeaveOutAPageOfWhichARowCannotBeRead) {
  const auto cut = read_table_text(kLong + "r,2,d");
  EXPECT_EQ(cut.pages, (Strings{"q: a b*"}));
  EXPECT_EQ(cut.report.count(Skip::kTooFewFields), 1U);
}

// Longer than what is looked at first, where they are refused. Rows in another part of the file,
// which another thread may read, are not noticed.
TEST(CutLogs, LeaveOutRowsOfPagesThatDoNotStandTogether) {
  std::string text = "page,query,item,click\n";
  const int pages = 30'000;
  for (int p = 0; p < pages; ++p) text += fmt::format("p{0},q,a,0\np{0},q,b,1\n", p);
  for (int p = 0; p < pages; ++p) text += fmt::format("p{},q,c,0\n", p);
  const auto scattered = read_table_text(text);
  const std::uint64_t noticed = scattered.report.count(Skip::kScatteredPage);
  EXPECT_EQ(scattered.pages.size() + noticed, 60'000U);
  EXPECT_GT(noticed, 20'000U);
}

// Gives a text, then finds that the rest is damaged.
class DamagedSource : public Source {
 public:
  explicit DamagedSource(const std::string& text) : text_(text) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t n = text_.read(buffer);
    if (n == 0) throw DamagedFile("gzip: the file ends too early");
    return n;
  }

 private:
  TextSource text_;
};

TEST(CutLogs, LeaveOutThePageOfALongTableThatDamageCuts) {
  const std::string text = kLong + "r,2,d,1\n";
  const TemporaryFile file(text);
  const Log log = open_log({file.path()}, LogShape{});
  DamagedSource source(text);
  Notes notes;
  const LogReport report = read_source(source, *log.files[0].format, notes, false);
  EXPECT_EQ(notes.all, (Strings{"q: a b*"}));
  EXPECT_EQ(report.count(Skip::kDamagedFile), 1U);
}

TEST(LongIntegers, KeepAllTheirDigits) {
  const auto read = read_table_text(
      R"({"query": 123456789012345678901234567890, "items": [18446744073709551616, -99999999999999999999, 2], "clicks": [0, 1, 0], "note": "\" 99999999999999999999999"})"
      "\n");
  EXPECT_EQ(read.pages, (Strings{"123456789012345678901234567890: 18446744073709551616 "
                                 "-99999999999999999999* 2"}));
  const auto bad = read_table_text(
      "{\"query\": 1, \"items\": [1, 2], \"clicks\": [1, 0]}\n"
      "{\"query\": 1, \"items\": [01, 99999999999999999999], \"clicks\": [1, 0]}\n");
  EXPECT_EQ(bad.pages, (Strings{"1: 1* 2"}));
  EXPECT_EQ(bad.report.count(Skip::kNotJson), 1U);
}

// A wrong checksum, after all of the text.
class ChangedSource : public Source {
 public:
  explicit ChangedSource(const std::string& text) : text_(text) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t n = text_.read(buffer);
    if (n == 0) throw ChangedFile("gzip: incorrect data check");
    return n;
  }

 private:
  TextSource text_;
};

TEST(CutLogs, FailWhereTheirBytesWereChanged) {
  const std::string text = "q\ta,b\ta\n";
  ChangedSource source(text);
  Notes notes;
  EXPECT_THROW(read_source(source, log_format("tsv"), notes, false), ChangedFile);
}

}  // namespace
}  // namespace dcmrank
