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

// In a table separated by tabs, quotes are text unless some are doubled as only programs do it.
TEST(Logs, SeparatedByTabsAreUnquotedWhereADoubledQuoteShowsThatTheyAreQuoted) {
  const std::vector<std::pair<std::string, std::string>> queries{
      {R"("19"" rack")", R"(19" rack)"},  {R"("a ""b""")", R"(a "b")"},
      {R"("a ""b"" c")", R"(a "b" c)"},   {R"("a """"b")", R"(a ""b)"},
      {R"("""a"" b")", R"("a" b)"},       {R"("red" "shoe")", R"("red" "shoe")"},
      {R"("red shoe")", R"("red shoe")"}, {R"("")", R"("")"},
      {R"("19"" rack)", R"("19"" rack)"}, {R"(19"" rack)", R"(19"" rack)"}};
  for (const auto& [written, query] : queries) {
    EXPECT_EQ(pages_of("query\titems\tclicks\n" + written + "\ta b\tb\n"),
              Strings{query + ": a b*"})
        << written;
  }
}

TEST(Logs, WithTwoColumnsOfANameThatIsUsedAreRefused) {
  expect_part(refusal("query,items,items,clicks\nq,a b,c d,b\n"), "2 columns are named 'items'");
  EXPECT_EQ(pages_of("query,items,clicks,x,x\nq,a b,b,1,2\n"), Strings{"q: a b*"});
}

TEST(Logs, WhoseClicksAreUnknownWordsAreRefused) {
  expect_part(refusal("query,items,clicks\nq,a b,ja nein\n"), "'ja'");
  EXPECT_EQ(pages_of("query,items,clicks\nq,a b,yes no\n"), Strings{"q: a* b"});
}

// A log with one row per event is none with one row per item.
TEST(Logs, OfEventsAreRefusedWithWhatToDo) {
  const char* columns = "item=item,click=event,position=rank";
  const std::string text =
      "query,rank,item,event\nq,1,a,impression\nq,2,b,impression\nq,2,b,click\n";
  expect_part(refusal(text, columns), "event='click'");
  expect_part(refusal(text, columns), "Event logs");
  EXPECT_EQ(refusal(text + "q,3,c,0\n", columns), "accepted");
  const std::string json = R"({"query":"q","rank":1,"item":"a","event":"impression"})";
  expect_part(refusal(json + "\n", columns), "Event logs");
}

TEST(Logs, ThatAreTablesWithOtherNamesAreToldTheirColumns) {
  std::string text = "Timestamp;Session ID;Impression;Search Term;Product URL;Rank;Was Clicked\n";
  for (int n = 0; n < 5; ++n) text += "2026-11-19 10:00;s1;i1;shoes;https://a.example/1,2;1;0\n";
  expect_part(refusal(text), "no column is recognised as the items");
  expect_part(refusal(text), "'Product URL', 'Rank', 'Was Clicked': name them, as in --columns");
  expect_part(refusal("wort,ort,was\n1,2,3\n"), "no column is recognised as the query");
  for (const char* other :
       {"hello\n", "a,b\n1,2\n", "q,1,c\n1,2,3\n", "one, two, three\nfour\nfive\n"}) {
    expect_part(refusal(other), "its format cannot be told");
  }
  const std::string words(60, 'x');
  expect_part(refusal(words + " and more\n"), "and more'");
}

TEST(Logs, OfJsonOverSeveralLinesAreRefusedWithWhatToDo) {
  expect_part(refusal("{\n  \"query\": \"q\",\n  \"items\": [1, 2]\n}\n"), "jq -c . FILE");
  expect_part(refusal("[\n  {\n    \"query\": \"q\"\n  }\n]\n"), "jq -c '.[]'");
}

TEST(Logs, SayThatClicksDoNotFitWhereTheyAreNotOneForEachItem) {
  for (const char* clicks : {"x", "1|0", "1|0|1|1"}) {
    const TemporaryFile file(std::string("query,items,clicks\nq,x|y|z,1|0|0\n\"a,b\",x|y|z,") +
                             clicks + "\n");
    const auto notes = std::make_shared<Notes>();
    const LogReport report = read_log(open_log({file.path()}, LogShape{}), {1, false, {}},
                                      [&](std::size_t) { return notes; });
    EXPECT_EQ(notes->all, Strings{"q: x* y z"});
    EXPECT_EQ(report.count(Skip::kUnfitClicks), 1U) << clicks;
    EXPECT_EQ(report.notes, 1U) << clicks;
  }
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

// Which positions the rows of pages have, in their order; one query, but where a page has another.
struct RowOrder {
  const char* name;
  std::vector<std::vector<int>> pages;
  bool own_session = true;
};

std::string table_of(const RowOrder& order, int times) {
  std::string text =
      order.own_session ? "query,session,rank,doc,clicked\n" : "query,rank,doc,clicked\n";
  int page = 0;
  for (int n = 0; n < times; ++n) {
    for (const auto& ranks : order.pages) {
      const std::string of = order.own_session ? fmt::format("q,s{}", page) : "q";
      for (const int rank : ranks) {
        text += fmt::format("{},{},d{}_{},{}\n", of, rank, rank, page, rank % 2);
      }
      ++page;
    }
  }
  return text;
}

std::string json_of(const RowOrder& order) {
  std::string text;
  int page = 0;
  for (const auto& ranks : order.pages) {
    for (const int rank : ranks) {
      text += fmt::format(R"({{"query":"q","rank":{0},"doc":"d{0}_{1}","clicked":{2}}})", rank,
                          page, rank % 2) +
              "\n";
    }
    ++page;
  }
  return text;
}

const std::vector<RowOrder> kUnsorted{
    {"Falling", {{5, 4, 3, 2, 1}}},
    {"FallingInOneQuery", {{5, 4, 3, 2, 1}, {5, 4, 3, 2, 1}}, false},
    {"FallingFromTwo", {{2, 1}}},
    {"FallingToZero", {{1, 0}}},
    {"ClickedFirst", {{3, 1, 2, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}},
    {"ClickedFirstInOneQuery", {{3, 1, 2, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}, false},
    {"ClickedLastFirst", {{4, 1, 2, 3}}},
    {"SeveralClickedFirst", {{2, 4, 1, 3}}},
    {"ByPosition",
     {{1}, {1}, {1}, {1}, {1}, {2}, {2}, {2}, {2}, {2}, {3}, {3}, {3}, {3}, {3}},
     false},
};

TEST(Logs, WhosePagesDoNotStandInTheOrderOfTheirPositionsAreRefused) {
  for (const RowOrder& order : kUnsorted) {
    const std::string said = refusal(table_of(order, 1));
    expect_part(said, "positions must rise within a page");
    expect_part(said, "sort the file by page and position");
    expect_part(said, "--columns page=");
    if (order.own_session) continue;
    const std::string in_json = refusal(json_of(order));
    EXPECT_EQ(in_json.substr(in_json.find("with one row")), said.substr(said.find("with one row")));
  }
  expect_part(refusal(table_of(kUnsorted[0], 1)), "those of session 's0' fall");
  expect_part(refusal(table_of(kUnsorted[1], 1)), "those of query 'q' fall");
}

// Their pages are read as they are.
const std::vector<RowOrder> kSorted{
    {"ShortPages", {{1, 2, 3}, {1}, {1, 2}, {1}, {1, 2, 3}}, false},
    {"DeeperPagesFirst", {{4, 5, 6}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, false},
    {"DeeperPagesThenShortOnes", {{3, 4}, {1}, {1, 2}, {1}}, false},
    {"DeeperPages", {{1, 2, 3}, {4, 5, 6}, {7, 8}}},
    {"WithoutTheTop", {{2, 3, 4}, {1, 2, 3, 4}, {3, 4}, {1, 2, 4}, {2, 4}}, false},
    {"CutAtBothEnds", {{4, 5}, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}, {1, 2}}, false},
    {"TopsAlone", {{2}, {2}, {2}}, false},
};

TEST(Logs, WithGapsBetweenRisingPositionsAreRead) {
  for (const RowOrder& order : kSorted) {
    std::size_t rows = 0;
    for (const auto& page : order.pages) rows += page.size();
    const TemporaryFile file(table_of(order, 1));
    const auto notes = std::make_shared<Notes>();
    const LogReport report = read_log(open_log({file.path()}, LogShape{}), {1, false, {}},
                                      [&](std::size_t) { return notes; });
    EXPECT_EQ(notes->all.size(), order.pages.size()) << order.name;
    EXPECT_EQ(report.count(Skip::kFallingPositions), 0U) << order.name;
    EXPECT_NO_THROW(require_impressions(report)) << order.name;
    EXPECT_EQ(report.lines, rows + 1) << order.name;
  }
}

// With a column that names pages, any order will do.
TEST(Logs, ThatNamePagesHaveTheirRowsInAnyOrder) {
  EXPECT_EQ(pages_of("page,query,rank,doc,clicked\n1,q,3,c,0\n1,q,2,b,1\n1,q,1,a,0\n"
                     "2,q,2,b,1\n2,q,1,a,0\n2,q,3,c,0\n"),
            (Strings{"q: a b* c", "q: a b* c"}));
}

// Behind what is looked at first, and wherever the file is cut.
TEST(Logs, OfWhichManyPagesAreInPiecesBehindTheirBeginningAreRefused) {
  for (const int in_pieces : {4, 5}) {
    const std::string text =
        table_of({"", {{1, 2, 3, 4}}}, 400) +
        table_of({"", {{3, 1, 2, 4}}}, in_pieces).substr(table_of({}, 0).size());
    const TemporaryFile file(text);
    for (const std::uint64_t bytes : {kPartBytes, std::uint64_t{500}}) {
      const LogReport report = read_log(open_log({file.path()}, LogShape{}, bytes), {1, false, {}},
                                        [&](std::size_t) { return std::make_shared<Notes>(); });
      EXPECT_EQ(report.count(Skip::kFallingPositions), static_cast<std::uint64_t>(in_pieces));
      if (in_pieces == 4) {
        EXPECT_NO_THROW(require_impressions(report));
      } else {
        EXPECT_THROW(require_impressions(report), InputError);
      }
    }
  }
}

// Where rows are sorted by clicks, only pages with clicks are in pieces.
TEST(Logs, OfFewClicksAreRefusedWhereTheirPagesAreInPieces) {
  LogReport report;
  report.impressions = 100'000;
  report.clicks = 100;
  for (int n = 0; n < 10; ++n) report.note(Skip::kFallingPositions, "q");
  EXPECT_NO_THROW(require_impressions(report));
  report.note(Skip::kFallingPositions, "q");
  EXPECT_THROW(require_impressions(report), InputError);
}

// Sorted by position, a large file begins with pages of one item at the top.
TEST(Logs, SortedByPositionAreRefusedHoweverTheyBegin) {
  std::string text = "query,rank,doc,clicked\n";
  for (int rank = 1; rank <= 4; ++rank) {
    for (int n = 0; n < 1500; ++n) text += fmt::format("q{},{},d{},0\n", n, rank, rank);
  }
  const TemporaryFile file(text);
  const LogReport report = read_log(open_log({file.path()}, LogShape{}), {1, false, {}},
                                    [&](std::size_t) { return std::make_shared<Notes>(); });
  try {
    require_impressions(report);
    ADD_FAILURE();
  } catch (const InputError& error) {
    expect_part(error.what(), "4500 of 6000 pages would be one item");
    expect_part(error.what(), "--columns page=");
  }
}

}  // namespace
}  // namespace dcmrank
