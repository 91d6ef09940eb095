// Tables with one row per item of which some rows cannot be read: which pages they cost.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

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
    {"RowThatSaysNothing", kByRank + kZ + kX + "\"\"\ny,2,d,1\n" + kX, {"z: f* g", "x: a b*"}},
    {"RowThatSaysNothingBeforeAWholePage",
     kByRank + kZ + kX + "\"\"\ny,1,d,1\n",
     {"z: f* g", "y: d*"}},
    {"RowWithoutItsQuery", kByRank + kZ + kX + "3,c,0\ny,1,d,1\n", {"z: f* g", "y: d*"}},
    {"CommaInTheQuery", kByPage + kPage6 + "7,red, shoes,1,a,0\n7,red, shoes,2,b,0\n" + kPage8,
     kBoth},
    {"PageInAnyOrder", kByPage + kPage6 + "7,y,3,c\n7,y,1,a,0\n7,y,2,b,1\n" + kPage8, kBoth},
    {"PositionThatIsNone", kByPage + kPage6 + "7,y,first,c,0\n7,y,2,b,1\n" + kPage8, kBoth},
    {"ClickThatIsNone", kByPage + kPage6 + "7,y,1,c,perhaps\n7,y,2,b,1\n" + kPage8, kBoth},
    {"QueryOfAnotherEncoding", kByPage + kPage6 + "7,caf\xe9,1,a,0\n7,caf\xe9,2,b,1\n" + kPage8,
     kBoth},
    {"ItemOfAnotherEncoding", kByPage + kPage6 + "7,y,1,caf\xe9,0\n7,y,2,b,1\n" + kPage8, kBoth},
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

TEST(Tables, SayThePageThatHasAGapByItsFirstRow) {
  const auto read = read_table(kByRank + kX + "y,1,c,0\ny,3,d,1\n" + kZ);
  const auto& gap = read.report.first[static_cast<std::size_t>(Skip::kPositionGap)];
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->line, 4U);
  EXPECT_EQ(gap->text, "y");
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
