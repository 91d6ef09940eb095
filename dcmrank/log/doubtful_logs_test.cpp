// Logs that are not what they seem: what is refused, what is doubted, what is read all the same.
#include <memory>
#include <string>
#include <vector>

#include <bzlib.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/log/notes_test.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/source/temporary_file_test.h"

namespace dcmrank {
namespace {

using Strings = std::vector<std::string>;

Log opened(const std::string& text, const char* columns = "", const LogFormat* format = nullptr) {
  const TemporaryFile file(text);
  return open_log({file.path()}, LogShape{format, Columns::parse(columns)});
}

std::string refusal(const std::string& text, const char* columns = "") {
  try {
    opened(text, columns);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

Strings pages_of(const std::string& text) {
  const TemporaryFile file(text);
  const auto notes = std::make_shared<Notes>();
  read_log(open_log({file.path()}, LogShape{}), {1, true, {}}, [&](std::size_t) { return notes; });
  return notes->all;
}

void expect_part(const std::string& text, const char* part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " not in " << text;
}

TEST(Logs, ThatGenerateWritesAreReadBackWhateverTheItemsLookLike) {
  const Strings ids{"[a, b]", "a,b", "e|f", "g;h", "i j", "k\r\nl", "m\rn", "\"o\"", " p "};
  std::vector<Id> items(ids.begin(), ids.end());
  const std::vector<std::uint8_t> clicks(items.size(), 1);
  std::string text;
  kCsv.write({Id("q\r1"), items, clicks, 0}, 0, text);
  std::string expected = "q\r1:";
  for (const std::string& id : ids) expected += fmt::format(" {}*", id);
  EXPECT_EQ(pages_of(text), Strings{expected});
}

TEST(Logs, OfSmallChangedFilesAreSaidToBeChanged) {
  std::string text = "q\ta,b\ta\n";
  std::string packed(1000, '\0');
  auto size = static_cast<unsigned>(packed.size());
  ASSERT_EQ(BZ2_bzBuffToBuffCompress(packed.data(), &size, text.data(),
                                     static_cast<unsigned>(text.size()), 1, 0, 0),
            BZ_OK);
  packed.resize(size);
  EXPECT_EQ(pages_of(packed), Strings{"q: a* b"});
  packed[size / 2] = static_cast<char>(packed[size / 2] ^ 0x10);
  expect_part(refusal(packed), "its bytes were changed");
}

TEST(Logs, InFormatsOfOthersAreRefusedWithWhatToDo) {
  const std::string nul(1, '\0');
  expect_part(refusal("PAR1 all of it is text PAR1"), "duckdb");
  expect_part(refusal("PK\x05\x06" + nul), "ZIP");
  expect_part(refusal("]" + nul + nul + "\x80" + nul), "xz -dc --format=lzma");
  EXPECT_EQ(pages_of("PAR1\ta,b\tb\n"), Strings{"PAR1: a b*"});  // a query
}

TEST(Logs, WithTwoColumnsOfANameThatIsUsedAreRefused) {
  expect_part(refusal("query,items,items,clicks\nq,a b,c d,b\n"), "2 columns are named 'items'");
  EXPECT_EQ(pages_of("query,items,clicks,x,x\nq,a b,b,1,2\n"), Strings{"q: a b*"});
}

TEST(Logs, WhoseClicksAreUnknownWordsAreRefused) {
  expect_part(refusal("query,items,clicks\nq,a b,ja nein\n"), "'ja'");
  EXPECT_EQ(pages_of("query,items,clicks\nq,a b,yes no\n"), Strings{"q: a* b"});
}

TEST(Logs, OfListsOfOneItemAreDoubted) {
  const std::string text = "q,i,c,r\nx,a,0,1\nx,b,1,2\n";
  expect_part(opened(text, "query=q,items=i,clicks=c").found[0].doubt, "item=");
  EXPECT_EQ(opened("q,i,c\nx,a b,b\nx,b,\n", "query=q,items=i,clicks=c").found[0].doubt, "");
  const auto comma = opened("query,items,clicks\nq,a b,b\n", "", &kTsv);
  expect_part(comma.found[0].doubt, "--format tsv");
}

TEST(Logs, WithALongFirstRowAreSplitAsOthers) {
  std::string list(1024, 'a');
  for (int i = 1; i < 256; ++i) list += fmt::format(" {:03}{}", i, std::string(1021, 'x'));
  ASSERT_GT(list.size(), std::size_t{1} << 18U);
  const auto pages = pages_of("query,items,clicks\nq," + list + ",\nq,a b,b\n");
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(pages[1], "q: a b*");
}

TEST(Logs, WithoutAnImpressionSayWhatHappenedMostOften) {
  LogReport report;
  report.lines = 10;
  report.note(Skip::kTooFewFields, "x");
  for (int n = 0; n < 9; ++n) report.note(Skip::kNotANumber, "click=ja");
  try {
    require_impressions(report);
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string said = error.what();
    EXPECT_LT(said.find("9 x "), said.find("1 x ")) << said;
    expect_part(said, "click=ja");
  }
}

TEST(Logs, OfWhichManyPagesAreInPiecesAreRefused) {
  LogReport report;
  report.impressions = 1000;
  for (int n = 0; n < 10; ++n) report.note(Skip::kScatteredPage, "1,q,a,0");
  EXPECT_NO_THROW(require_impressions(report));
  report.note(Skip::kScatteredPage, "1,q,a,0");
  EXPECT_THROW(require_impressions(report), InputError);
}

}  // namespace
}  // namespace dcmrank
