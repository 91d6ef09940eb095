// Logs as people have them: what is found out about each, and what is counted.
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/log/notes_test.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/source/temporary_file_test.h"
#include "tests/places.h"

namespace dcmrank {
namespace {

struct OddLog {
  const char* name;
  std::string text;
  const char* columns;  // that the user names
  const char* found;    // what is said
  std::vector<std::string> pages;
  const char* skipped = "";  // "reason count"
};

const std::vector<OddLog> kOddLogs{
    {"Yandex2011",
     "1\t0\tQ\tq\t0\ta\tb\n1\t1\tC\tb\n2\t0\tQ\tr\t0\tc\td\n",
     "",
     "yandex2011",
     {"q: a b*", "r: c d"}},
    {"Yandex2014",
     "1\tM\t1\t7\n1\t0\tQ\t0\tq\t5,6\ta,1\tb,2\n1\t1\tC\t0\tb\n",
     "",
     "yandex2014",
     {"q: a b*"}},
    {"TsvWithoutHeader", "q\ta,b,c\tb\nq\tb,a,c\t\n", "", "tsv", {"q: a b* c", "q: b a c"}},
    {"TsvWithSpacesAfterCommas", "q\ta, b, c\tb, c\n", "", "tsv", {"q: a b* c*"}},
    {"TsvWithAHeader",
     "query\titems\tclicks\nq\ta,b\tb\n",
     "",
     "csv (tab, one row per page: query=query, items=items, clicks=clicks as items)",
     {"q: a b*"}},
    {"TsvWithATypedQuote",
     "query\titems\tclicks\n\"red shoe\ta,b\tb\nq\ta,b\t\n",
     "",
     "csv (tab, one row per page: query=query, items=items, clicks=clicks as items)",
     {"\"red shoe: a b*", "q: a b"}},
    {"TsvOfPandas",
     "query\titems\tclicks\n19\t\"[\"\"a\"\", \"\"b\"\"]\"\t[1, 0]\n"
     "\"19\"\" rack\"\t\"[\"\"b\"\", \"\"a\"\"]\"\t\"[0, 1]\"\n",
     "",
     "csv (tab, one row per page: query=query, items=items, clicks=clicks as 0 and 1)",
     {"19: a* b", "19\" rack: b a*"}},
    {"CsvOfExcel",
     "\xef\xbb\xbfQuery;Docs;Clicked\r\nq;a b c;b\r\nr;d e;\r\n",
     "",
     "csv (semicolon, one row per page: query=Query, items=Docs, clicks=Clicked as items)",
     {"q: a b* c", "r: d e"}},
    {"CsvWithQuotedFields",
     "query,items,clicks\n\"red \"\"big\"\" shoes, cheap\",\"a, b, c\",\"b\"\n",
     "",
     "csv (comma, one row per page: query=query, items=items, clicks=clicks as items)",
     {"red \"big\" shoes, cheap: a b* c"}},
    {"CsvWithSpacesAroundFields",
     "query, items, clicks\nq , \"a,b\" , \"a\"\n",
     "",
     "csv (comma, one row per page: query=query, items=items, clicks=clicks as items)",
     {"q: a* b"}},
    {"CsvWithALineBreakInQuotes",
     "note,query,items,clicks\n\"two\nlines\",q,a b,0 1\nplain,q,b a,1 0\n",
     "",
     "csv (comma, one row per page: query=query, items=items, clicks=clicks as 0 and 1)",
     {"q: a b*", "q: b* a"}},
    {"CsvWithColumnsNamed",
     "id,q,docs,clicked,country\n1,x,a|b|c,0|1|0,de\n2,x,b|a|c,0|0|0,fr\n",
     "query=q,items=docs,clicks=clicked",
     "csv (comma, one row per page: query=q, items=docs, clicks=clicked as 0 and 1)",
     {"x: a b* c", "x: b a c"}},
    {"CsvOfPandas",
     ",query,items,clicks\n0,q,\"['a', 'b']\",\"[0, 1]\"\n1,q,\"['b', 'a']\",\"[0, 0]\"\n",
     "",
     "csv (comma, one row per page: query=query, items=items, clicks=clicks as 0 and 1)",
     {"q: a b*", "q: b a"}},
    {"CsvOfNumpy",
     "query,items,clicks\nq,[11 12 13],[False  True False]\n",
     "",
     "csv (comma, one row per page: query=query, items=items, clicks=clicks as 0 and 1)",
     {"q: 11 12* 13"}},
    {"CsvOfADatabase",
     "query,items,clicks\nq,\"[red shoe, blue hat]\",[blue hat]\n",
     "",
     "csv (comma, one row per page: query=query, items=items, clicks=clicks as items)",
     {"q: red shoe blue hat*"}},
    {"CsvWithClickedPositions",
     "query,items,clicks\nq,a b c,2\nq,c b a,1 3\nr,d e,\n",
     "",
     "csv (comma, one row per page: query=query, items=items, clicks=clicks as positions)",
     {"q: a b* c", "q: c* b a*", "r: d e"}},
    {"CsvWithAColumnPerPosition",
     "query,doc_1,doc_2,doc_3,click_1,click_2,click_3\nq,a,b,c,0,1,0\nq,b,a,,1,0,\n",
     "",
     "csv (comma, one row per page: query=query, items=doc_1..doc_3, clicks=click_1..click_3 as 0 "
     "and "
     "1)",
     {"q: a b* c", "q: b* a"}},
    {"CsvWithoutHeader",
     "q,a b,b\nr,c d,\n",
     "query=1,items=2,clicks=3",
     "csv (comma, no header, one row per page: query=1, items=2, clicks=3 as items)",
     {"q: a b*", "r: c d"}},
    {"LongByPosition",
     "query,position,url,click\nq,1,a,0\nq,2,b,1\nq,1,b,0\nq,2,a,0\nr,1,c,1\n",
     "",
     "csv (comma, one row per item: query=query, items=url, clicks=click, position=position)",
     {"q: a b*", "q: b a", "r: c*"}},
    {"LongInAnyOrderOfAPage",
     "serp_id\tquery\trank\titem\tclicked\n7\tq\t3\tc c\tfalse\n7\tq\t1\ta a\ttrue\n"
     "7\tq\t2\tb b\tfalse\n8\tq\t1\ta a\tfalse\n",
     "",
     "csv (tab, one row per item: query=query, items=item, clicks=clicked, position=rank, "
     "page=serp_id)",
     {"q: a a* b b c c", "q: a a"}},
    {"LongWithAColumnSerp",
     "query,serp,pos,product,click\nq,7,1,a,0\nq,7,2,b,1\nr,8,1,a,0\n",
     "",
     "csv (comma, one row per item: query=query, items=product, clicks=click, position=pos, "
     "page=serp)",
     {"q: a b*", "r: a"}},
    {"PagesWithAColumnSerp",
     "query,serp,clicks\nq,a b,b\nr,a,\n",
     "",
     "csv (comma, one row per page: query=query, items=serp, clicks=clicks as items)",
     {"q: a b*", "r: a"}},
    {"LongWithRowsTwice",
     "page_id,query,rank,doc,clicked\n1,q,1,a,1\n1,q,1,a,1\n1,q,2,b,0\n",
     "",
     "csv (comma, one row per item: query=query, items=doc, clicks=clicked, position=rank, "
     "page=page_id)",
     {"q: a* b"},
     "repeated_click 1"},
    {"LongWithAGap",
     "sid,query,rank,doc,clicked\n1,q,1,a,1\n1,q,3,b,0\n",
     "",
     "csv (comma, one row per item: query=query, items=doc, clicks=clicked, position=rank, "
     "session=sid)",
     {"q: a* b"},
     "position_gap 1"},
    {"LongWithAMalformedRow",
     "session,query,rank,doc,clicked\n1,q,1,a,1\n1,q,2,b,perhaps\n2,q,1,a,0\n2,q,2,b,0\n",
     "",
     "csv (comma, one row per item: query=query, items=doc, clicks=clicked, position=rank, "
     "session=session)",
     {"q: a b"},
     "not_a_number 1"},
    {"JsonLines",
     "{\"query\": \"q\", \"items\": [\"a\", \"b\"], \"clicks\": [0, 1]}\n"
     "{\"query\": \"r\", \"items\": [1, 2], \"clicks\": [0, 0]}\n",
     "",
     "jsonl (one row per page: query=query, items=items, clicks=clicks as 0 and 1)",
     {"q: a b*", "r: 1 2"}},
    {"JsonLinesOfObjects",
     "{\"request\": {\"q\": \"caf\\u00e9\"}, \"results\": [{\"id\": 1, \"clicked\": true}, "
     "{\"id\": "
     "2}], \"user\": \"u\"}\n",
     "",
     "jsonl (one row per page: query=request.q, items=results[].id, clicks=results[].clicked as 0 "
     "and "
     "1, session=user)",
     {"caf\xc3\xa9: 1* 2"}},
    {"JsonLinesWithPathsNamed",
     "{\"a\": {\"b\": \"q\"}, \"c\": [\"x\", \"y\"], \"d\": {\"e\": [\"y\"]}}\n"
     "{\"a\": {\"b\": \"q\"}, \"c\": [\"x\", \"y\"]}\nnot JSON\n{\"a\": 1}\n",
     "query=a.b,items=c,clicks=d.e",
     "jsonl (one row per page: query=a.b, items=c, clicks=d.e as items)",
     {"q: x y*", "q: x y"},
     "empty_id 1, not_json 1"},
    {"JsonLinesOfItems",
     "{\"query\": \"q\", \"rank\": 0, \"doc\": \"a\", \"click\": false}\n"
     "{\"query\": \"q\", \"rank\": 1, \"doc\": \"b\", \"click\": true}\n",
     "",
     "jsonl (one row per item: query=query, items=doc, clicks=click, position=rank)",
     {"q: a b*"}},
    {"CsvWithAQuoteThatNeverEnds",
     "query,items,clicks\n\"q,a b,b\n",
     "",
     "csv (comma, one row per page: query=query, items=items, clicks=clicks as items)",
     {},
     "unclosed_quote 1"},
};

std::string skipped_text(const LogReport& report) {
  std::vector<std::string> words;
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (report.skipped[r] == 0) continue;
    words.push_back(fmt::format("{} {}", skip_info(static_cast<Skip>(r)).name, report.skipped[r]));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// "CsvOfExcel" as "csv of excel".
std::string words_of(std::string_view name) {
  std::string words;
  for (const char c : name) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !words.empty()) words += ' ';
    words += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

class OddLogs : public ::testing::TestWithParam<OddLog> {};

TEST_P(OddLogs, IsReadAsItsOwnerMeansIt) {
  const OddLog& odd = GetParam();
  const TemporaryFile file(odd.text);
  const Log log = open_log({file.path()}, LogShape{nullptr, Columns::parse(odd.columns)});
  ASSERT_EQ(log.found.size(), 1U);
  EXPECT_EQ(log.found[0].shape, odd.found);
  const auto notes = std::make_shared<Notes>();
  const LogReport report = read_log(log, {1, false, {}}, [&](std::size_t) { return notes; });
  EXPECT_EQ(notes->all, odd.pages);
  EXPECT_EQ(report.impressions, odd.pages.size());
  EXPECT_EQ(skipped_text(report), odd.skipped);
}

// Cut wherever it may be, a log says the same.
TEST_P(OddLogs, IsTheSameInParts) {
  const OddLog& odd = GetParam();
  const TemporaryFile file(odd.text);
  for (const std::uint64_t bytes : {1U, 20U, 40U}) {
    const Log log = open_log({file.path()}, LogShape{nullptr, Columns::parse(odd.columns)}, bytes);
    std::vector<std::shared_ptr<Notes>> parts(log.parts());
    const LogReport report = read_log(
        log, {2, false, {}}, [&](std::size_t p) { return parts[p] = std::make_shared<Notes>(); });
    std::vector<std::string> all;
    for (const auto& part : parts) all.insert(all.end(), part->all.begin(), part->all.end());
    EXPECT_EQ(all, odd.pages) << bytes;
    EXPECT_EQ(skipped_text(report), odd.skipped) << bytes;
  }
}

TEST_P(OddLogs, StandsInTheDocument) {
  const OddLog& odd = GetParam();
  std::ifstream file(std::string(places::kDocs) + "/formats-logs.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const std::string skipped = odd.skipped;
  const std::string row =
      fmt::format("| {} | `{}` | {} | {} |", words_of(odd.name), odd.found, odd.pages.size(),
                  skipped.empty() ? "-" : "`" + skipped + "`");
  EXPECT_NE(document.find(row), std::string::npos) << row;
}

INSTANTIATE_TEST_SUITE_P(Log, OddLogs, ::testing::ValuesIn(kOddLogs),
                         [](const auto& odd) { return std::string(odd.param.name); });

struct Refused {
  std::string text;
  const char* columns;
  std::vector<std::string> parts;  // of the message
};

TEST(OddLog, ThatCannotBeReadIsRefusedInOneLineThatSaysWhatToDo) {
  const std::string nul(1, '\0');
  const std::vector<Refused> all{
      {"PAR1\x15" + nul + "\x15", "", {"a Parquet file", "duckdb"}},
      {"PK\x03\x04" + nul, "", {"ZIP", "unpack"}},
      {"\xff\xfe"
       "q" +
           nul,
       "",
       {"UTF-16", "iconv"}},
      {"\x04\x22\x4d\x18" + nul, "", {"lz4"}},
      {"query,items,clicks\rq,a b,a\rr,c d,\r", "", {"carriage returns alone", "tr '\\r' '\\n'"}},
      {"[{\"query\": 1}]\n", "", {"a JSON array", "jq"}},
      {"hello\n", "", {"'hello'", "--format", "yandex2011", "csv", "tsv", "jsonl", "--columns"}},
      {"page,query,doc,click\n1,q,a,0\n2,q,b,1\n1,q,c,1\n2,q,a,0\n", "", {"page '1'", "sort"}},
      {"serp_id,query,rank,doc,click\n,q,1,a,0\n,q,2,b,1\n",
       "",
       {"column 'serp_id'", "no value", "first 2 rows"}},
      {"{\"page\":null,\"query\":\"q\",\"rank\":1,\"doc\":\"a\",\"click\":0}\n",
       "",
       {"column 'page'", "no value", "first 1 row:"}},
      {"page,query,rank,doc,click\nNULL,q,1,a,0\nNULL,q,2,b,1\n",
       "",
       {"column 'page'", "no value"}},
      {"a,b\n1,2\n", "query=a,items=c,clicks=b", {"no column 'c' for items", "'a', 'b'"}},
      {"query,stuff,clicks\n1,2,3\n", "query=query", {"the items", "'stuff'"}},
      {"query,item,click\nq,a,0\n", "", {"tell pages apart", "position="}},
      {"query,items,clicks,at\nq,a b,0 1,1\n", "item=items", {"tell pages apart"}},
      {"{\"q\": 1}\n", "query=q,items=x,clicks=y", {"no column 'x'"}},
      {"q\n", "query=q", {"not a header"}},
  };
  for (const Refused& refused : all) {
    const TemporaryFile file(refused.text);
    try {
      open_log({file.path()}, LogShape{nullptr, Columns::parse(refused.columns)});
      ADD_FAILURE() << refused.text;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(file.path()), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      for (const std::string& part : refused.parts) {
        EXPECT_NE(message.find(part), std::string::npos) << part << " not in " << message;
      }
    }
  }
}

TEST(Columns, RefusesWhatIsNoRole) {
  for (const char* text :
       {"query", "query=", "=a", "qery=a", "query=a,query=b", "items=a,item=b"}) {
    EXPECT_THROW(Columns::parse(text), InputError) << text;
  }
  EXPECT_TRUE(Columns::parse("").empty());
  EXPECT_TRUE(Columns::parse("query=1,items=2").by_number());
  EXPECT_FALSE(Columns::parse("query=q,items=2").by_number());
}

}  // namespace
}  // namespace dcmrank
