// Tables with one row per item of which some rows cannot be read: which pages they cost.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/log/notes_test.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/source/temporary_file_test.h"

namespace dcmrank {
namespace {

using Strings = std::vector<std::string>;

struct ReadTable {
  Strings pages;
  LogReport report;
};

ReadTable read_table(const std::string& text, std::uint64_t part_bytes = kPartBytes) {
  const TemporaryFile file(text);
  const Log log = open_log({file.path()}, LogShape{}, part_bytes);
  std::vector<std::shared_ptr<Notes>> parts(log.parts());
  ReadTable read;
  read.report = read_log(log, {1, false, {}},
                         [&](std::size_t p) { return parts[p] = std::make_shared<Notes>(); });
  for (const auto& part : parts) {
    read.pages.insert(read.pages.end(), part->all.begin(), part->all.end());
  }
  return read;
}

struct DamagedTable {
  const char* name;
  std::string text;
  Strings pages;
};

const std::string kByRank = "query,rank,url,click\n";
const std::string kByPage = "page,query,position,item,click\n";
const std::string kPage6 = "6,x,1,a,0\n6,x,2,b,1\n";
const std::string kPage8 = "8,z,1,f,1\n8,z,2,g,0\n";
const std::string kX = "x,1,a,0\nx,2,b,1\n";
const std::string kZ = "z,1,f,1\nz,2,g,0\n";
const Strings kBoth{"x: a b*", "z: f* g"};

const std::vector<DamagedTable> kDamaged{
    {"FirstRowOfAPage", kByRank + kX + "y,1,c\ny,2,d,1\ny,3,e,0\n" + kZ, kBoth},
    {"FirstRowWithTooManyFields", kByRank + kX + "y,1,c,0,0\ny,2,d,1\ny,3,e,0\n" + kZ, kBoth},
    {"RowInTheMiddle", kByRank + kX + "y,1,c,0\ny,2,d\ny,3,e,0\n" + kZ, kBoth},
    {"LastRowOfAPage", kByRank + kX + "y,1,c,0\ny,2,d,1\ny,3\n" + kZ, kBoth},
    {"FirstRowOfTheTable", kByRank + "y,1\ny,2,d,1\n" + kX + kZ, kBoth},
    {"LastRowOfTheTable", kByRank + kX + kZ + "y,1,d,1\ny,2\n", kBoth},
    {"PageOfOneRow", kByRank + kX + "y,1\n" + kZ, kBoth},
    {"WholePage", kByRank + kX + "y,1\ny,2\ny,3\n" + kZ, kBoth},
    {"SameQueryAgain", kByRank + kX + "x,1,b\nx,2,a,0\n" + kZ, kBoth},
    {"SameQueryAgainWithoutAPosition",
     kByRank + kZ + "x,1,a,0\nx,?,b,0\nx,2,c,0\nx,1,a,0\nx,2,b,1\n",
     {"z: f* g", "x: a b*"}},
    {"SameQueryAgainAfterASinglePage",
     kByRank + "x,1,a,0\nx,1,b\nx,2,a,0\n" + kZ,
     {"x: a", "z: f* g"}},
    {"RowOfAnotherQueryBeforeTheSamePageAgain",
     kByRank + "x,1,a,1\ny,3\nx,1,a,1\n" + kZ,
     {"x: a*", "x: a*", "z: f* g"}},
    {"RowOfAnotherQueryWithinAPage",
     kByRank + "x,1,a,1\ny,1\nx,2,b,0\n" + kZ,
     {"x: a*", "x: b", "z: f* g"}},
    {"RowThatSaysNothing", kByRank + kZ + kX + "\"\"\ny,2,d,1\n" + kX, {"z: f* g", "x: a b*"}},
    {"RowThatSaysNothingBeforeAWholePage",
     kByRank + kZ + kX + "\"\"\ny,1,d,1\n",
     {"z: f* g", "y: d*"}},
    {"RowWithoutItsQuery", kByRank + kZ + kX + "3,c,0\ny,1,d,1\n", {"z: f* g", "y: d*"}},
    {"PositionThatIsMissingAtTheEnd",
     kByRank + kX + "y,1,c,0\ny,2,d,0\ny,,e,0\n" + kX + "y,1,c,1\n" + kZ,
     {"x: a b*", "x: a b*", "y: c*", "z: f* g"}},
    {"PositionThatIsMissingAtTheStart",
     kByRank + kX + "y,1,c,0\n" + kX + "y,,c,1\ny,2,d,0\n" + kZ,
     {"x: a b*", "y: c", "x: a b*", "z: f* g"}},
    {"QuoteThatNeverEnds", kByPage + kPage6 + "7,\"y,1,a,0\n7,y,2,b,1\n" + kPage8, kBoth},
    {"CommaInTheQuery", kByPage + kPage6 + "7,red, shoes,1,a,0\n7,red, shoes,2,b,0\n" + kPage8,
     kBoth},
    {"PageInAnyOrder", kByPage + kPage6 + "7,y,3,c\n7,y,1,a,0\n7,y,2,b,1\n" + kPage8, kBoth},
    {"PositionThatIsNone", kByPage + kPage6 + "7,y,first,c,0\n7,y,2,b,1\n" + kPage8, kBoth},
    {"ClickThatIsNone", kByPage + kPage6 + "7,y,1,c,perhaps\n7,y,2,b,1\n" + kPage8, kBoth},
    {"QueryOfAnotherEncoding", kByPage + kPage6 + "7,caf\xe9,1,a,0\n7,caf\xe9,2,b,1\n" + kPage8,
     kBoth},
    {"ItemOfAnotherEncoding", kByPage + kPage6 + "7,y,1,caf\xe9,0\n7,y,2,b,1\n" + kPage8, kBoth},
    {"QueryThatIsMissing", kByRank + kX + "y,1,c,0\n,2,d,1\ny,3,e,0\n" + kZ, kBoth},
    {"QueryThatIsMissingAtTheStart", kByRank + kX + ",1,c,0\ny,2,d,1\n" + kZ, kBoth},
    {"QueriesThatAreMissing", kByRank + kX + ",1,c,0\n,2,d,1\n,3,e,1\n" + kZ, kBoth},
    {"QueryThatIsLong",
     kByPage + kPage6 + "7,y,1,a,0\n7," + std::string(1025, 'y') + ",2,b,1\n7,y,3,c,0\n" + kPage8,
     kBoth},
    {"QuoteBeforeAFieldThatIsCut", kByPage + kPage6 + "7,y,1,a,0\n\"7,y\n" + kPage8, kBoth},
    {"QuoteWithinAField", kByPage + kPage6 + "7,y,1,a,0\n\"7,\"y\",2,3,1\n" + kPage8, kBoth},
    {"PageThatIsMissingInSomeRows", kByPage + kPage6 + ",y,1,c,0\n,y,2,d,1\n,y,3,e,0\n" + kPage8,
     kBoth},
    {"PageThatIsMissingInSomeRowsOfOneQuery",
     kByPage + "6,x,1,a,0\n6,x,2,b,1\n,x,1,c,0\n,x,2,d,1\n,x,3,e,0\n8,x,1,f,1\n8,x,2,g,0\n",
     {"x: a b*", "x: f* g"}},
    {"PagesThatAreMissing", kByPage + kPage6 + ",y,1,a,1\n,y,2,b,0\n,y,1,c,1\n,y,2,d,0\n" + kPage8,
     kBoth},
    {"JsonThatIsCut",
     "{\"page\":6,\"query\":\"x\",\"item\":\"a\",\"position\":1,\"click\":0}\n"
     "{\"page\":6,\"query\":\"x\",\"item\":\"b\",\"position\":2,\"click\":1}\n"
     "{\"page\":7,\"query\":\"y\",\"item\":{},\"position\":1,\"click\":0}\n"
     "{\"page\":7,\"query\":\"y\",\"item\":\"d\",\"position\":2,\"click\":1}\n"
     "{\"page\":8,\"query\":\"z\",\"item\":\"f\",\"position\":1,\"click\":1}\n"
     "{\"page\":8,\"query\":\"z\",\"item\":\"g\",\"position\":2,\"click\":0}\n",
     kBoth},
    {"JsonOfAnotherEncoding",
     "{\"page\":6,\"query\":\"x\",\"item\":\"a\",\"position\":1,\"click\":0}\n"
     "{\"page\":6,\"query\":\"x\",\"item\":\"b\",\"position\":2,\"click\":1}\n"
     "{\"page\":7,\"query\":\"caf\xe9\",\"item\":\"c\",\"position\":1,\"click\":0}\n"
     "{\"page\":7,\"query\":\"caf\xe9\",\"item\":\"d\",\"position\":2,\"click\":1}\n"
     "{\"page\":8,\"query\":\"z\",\"item\":\"f\",\"position\":1,\"click\":1}\n"
     "{\"page\":8,\"query\":\"z\",\"item\":\"g\",\"position\":2,\"click\":0}\n",
     kBoth},
    {"SecondHeader", kByRank + kX + kByRank + kZ, kBoth},
    {"SecondHeaderAfterPagesOfTheSameName", kByPage + kPage6 + kByPage + "6,z,1,f,1\n6,z,2,g,0\n",
     kBoth},
    {"SecondHeaderOfATableOfLists", "query,items,clicks\nx,a b,b\nquery,items,clicks\nz,f g,f\n",
     kBoth},
};

class DamagedRows : public ::testing::TestWithParam<DamagedTable> {};

TEST_P(DamagedRows, CostTheirOwnPageAndNoOther) {
  const DamagedTable& table = GetParam();
  EXPECT_EQ(read_table(table.text).pages, table.pages);
}

TEST_P(DamagedRows, CostTheSameWhereverTheFileIsCut) {
  const DamagedTable& table = GetParam();
  const auto whole = read_table(table.text).report;
  for (const std::uint64_t bytes : {1U, 20U, 40U}) {
    const auto cut = read_table(table.text, bytes);
    EXPECT_EQ(cut.pages, table.pages) << bytes;
    EXPECT_EQ(cut.report.skipped, whole.skipped) << bytes;
  }
}

INSTANTIATE_TEST_SUITE_P(Log, DamagedRows, ::testing::ValuesIn(kDamaged),
                         [](const auto& table) { return std::string(table.param.name); });

TEST(Tables, LeaveOutAPageOfWhichTwoItemsAreAtOnePosition) {
  const auto read =
      read_table(kByPage + kPage6 + "7,x,1,a,1\n7,x,2,b,0\n7,x,1,c,0\n7,x,2,d,1\n" + kPage8);
  EXPECT_EQ(read.pages, kBoth);
  EXPECT_EQ(log_to_json(read.report)["skipped"].dump(), R"({"repeated_position":1})");
  EXPECT_EQ(log_to_json(read.report)["tolerated"].dump(), "{}");
  const auto& fault = read.report.first[static_cast<std::size_t>(Skip::kRepeatedPosition)];
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->line, 4U);
  EXPECT_EQ(fault->text, "page=7");
}

TEST(Tables, SayThePageThatHasAGapByItsFirstRow) {
  const auto read = read_table(kByRank + kX + "y,1,c,0\ny,3,d,1\n" + kZ);
  const auto& gap = read.report.first[static_cast<std::size_t>(Skip::kPositionGap)];
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->line, 4U);
  EXPECT_EQ(gap->text, "y");
}

// A table of four pages of one query and four rows each, a row of the second damaged.
constexpr int kRows = 4;
constexpr int kDamagedPage = 2;

struct Damage {
  const char* name;
  const char* row;      // instead of "{page},q,{position},{item},{click}"
  const char* reason;   // that is told
  const char* example;  // and its text; none: the row
  bool json = false;
};

// A row says its page, or its position says whether it goes on.
const std::vector<Damage> kDamages{
    {"EmptyQuery", "{},,{},{},{}", "empty_id", "query="},
    {"QueryOfSpaces", "{},  ,{},{},{}", "empty_id", "query="},
    {"EmptyPage", ",q,{1},{2},{3}", "empty_id", "page="},
    {"PageThatIsNull", "NULL,q,{1},{2},{3}", "empty_id", "page=NULL"},
    {"EmptyItem", "{0},q,{1},,{3}", "empty_id", "item="},
    {"NoItem", "{},q,{}", "too_few_fields", nullptr},
    {"QuoteBeforeThePage", "\"{},q,{},{},{}", "unclosed_quote", nullptr},
    {"QuoteBeforeTheQuery", "{},\"q,{},{},{}", "unclosed_quote", nullptr},
    {"QuoteBeforeTheItem", "{},q,{},\"{},{}", "unclosed_quote", nullptr},
    {"PositionThatIsNoNumber", "{0},q,nan,{2},{3}", "not_a_number", "position=nan"},
    {"NullQuery", R"({{"page":{},"query":null,"position":{},"item":"{}","click":{}}})", "empty_id",
     "query=", true},
    {"NoQuery", R"({{"page":{},"position":{},"item":"{}","click":{}}})", "empty_id",
     "query=", true},
    {"NullPage", R"({{"page":null,"query":"q","position":{1},"item":"{2}","click":{3}}})",
     "empty_id", "page=", true},
    {"NoPage", R"({{"query":"q","position":{1},"item":"{2}","click":{3}}})", "empty_id",
     "page=", true},
    {"NullItem", R"({{"page":{0},"query":"q","position":{1},"item":null,"click":{3}}})",
     "too_few_fields", nullptr, true},
};

std::string row_of(const char* format, int page, int position) {
  const std::string item = fmt::format("i{}", position - 1);
  return fmt::format(fmt::runtime(format), page, position, item, position == 1 ? 1 : 0) + "\n";
}

std::string damaged_table(const Damage& damage, int damaged_position) {
  const char* good = damage.json
                         ? R"({{"page":{},"query":"q","position":{},"item":"{}","click":{}}})"
                         : "{},q,{},{},{}";
  std::string text = damage.json ? "" : kByPage;
  for (int page = 1; page <= 4; ++page) {
    for (int position = 1; position <= kRows; ++position) {
      const bool damaged = page == kDamagedPage && position == damaged_position;
      text += row_of(damaged ? damage.row : good, page, position);
    }
  }
  return text;
}

class DamagedRow : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedRow, CostsItsPageWhereverInItItStands) {
  const Damage& damage = GetParam();
  const Strings three(3, "q: i0* i1 i2 i3");
  for (int position = 1; position <= kRows; ++position) {
    const std::string text = damaged_table(damage, position);
    const auto read = read_table(text);
    EXPECT_EQ(read.pages, three) << text;
    EXPECT_EQ(log_to_json(read.report)["skipped"].dump(),
              fmt::format("{{\"{}\":1}}", damage.reason));
    EXPECT_EQ(log_to_json(read.report)["tolerated"].dump(), "{}") << text;
    const auto reason = find_skip(damage.reason);
    ASSERT_TRUE(reason);
    const auto& example = read.report.first[static_cast<std::size_t>(*reason)];
    ASSERT_TRUE(example);
    EXPECT_EQ(example->line, static_cast<std::uint64_t>((damage.json ? 0 : 1) + kRows + position));
    const std::string row = row_of(damage.row, kDamagedPage, position);
    EXPECT_EQ(example->text, damage.example ? damage.example : row.substr(0, row.size() - 1));
    for (const std::uint64_t bytes : {1U, 20U, 40U, 100U}) {
      const auto cut = read_table(text, bytes);
      EXPECT_EQ(cut.pages, read.pages) << bytes;
      EXPECT_EQ(cut.report.skipped, read.report.skipped) << bytes;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Log, DamagedRow, ::testing::ValuesIn(kDamages),
                         [](const auto& damage) { return std::string(damage.param.name); });

// Of every hundred lines one begins with a quote that was not meant as one.
TEST(Tables, LoseOnlyTheLineOfAStrayQuoteHoweverFarTheNextOneIs) {
  for (const int apart : {2, 90, 110}) {
    std::string text = "query,items,clicks\n";
    for (int n = 0; n < 1000; ++n) {
      text +=
          n % apart == 1 ? fmt::format("\"abc {},a b c,a\n", n) : fmt::format("q{},a b c,b\n", n);
    }
    const int stray = (1000 + apart - 2) / apart;
    const auto read = read_table(text);
    EXPECT_EQ(read.report.impressions, static_cast<std::uint64_t>(1000 - stray)) << apart;
    EXPECT_EQ(read.report.lines, 1001U) << apart;
    EXPECT_EQ(read.report.count(Skip::kUnclosedQuote), static_cast<std::uint64_t>(stray)) << apart;
    const auto& first = read.report.first[static_cast<std::size_t>(Skip::kUnclosedQuote)];
    ASSERT_TRUE(first);
    EXPECT_EQ(first->line, 3U);
    EXPECT_EQ(first->text, "\"abc 1,a b c,a");
    EXPECT_EQ(read_table(text, 500).pages, read.pages) << apart;
  }
}

TEST(Tables, NameColumnAndValueOfWhatIsNoNumber) {
  const auto read = read_table(kByRank + kX + "y,1,c,wahr\n");
  const auto& fault = read.report.first[static_cast<std::size_t>(Skip::kNotANumber)];
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->text, "click=wahr");
  const auto rank = read_table(kByRank + kX + "y,first,c,0\n");
  EXPECT_EQ(rank.report.first[static_cast<std::size_t>(Skip::kNotANumber)]->text, "rank=first");
}

}  // namespace
}  // namespace dcmrank
