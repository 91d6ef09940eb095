// What parsers of others throw arrives with file, line and format.
#include "dcmrank/log/guarded_parser.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/log/reader.h"
#include "dcmrank/source/temporary_file_test.h"

namespace dcmrank {
namespace {

// Lines are pages of one item, but for those that say what to throw.
class Thrower : public LogParser {
 public:
  explicit Thrower(ImpressionSink& sink) : sink_(&sink) {}
  void line(std::string_view line) override {
    if (line == "runtime") throw std::runtime_error("I cannot");
    if (line == "logic") throw std::out_of_range("beyond the end");
    if (line == "number") throw 7;
    if (line == "at the end") at_the_end_ = true;
    const Id item("a");
    const std::uint8_t click = 0;
    sink_->add({Id("q"), {&item, 1}, {&click, 1}});
  }
  void finish() override {
    if (at_the_end_) throw std::runtime_error("something is missing");
  }

 private:
  ImpressionSink* sink_;
  bool at_the_end_ = false;
};

LogFormat throwing() {
  LogFormat format;
  format.name = "throwing";
  format.parser = [](ImpressionSink& sink, LogReport&) -> std::unique_ptr<LogParser> {
    return std::make_unique<Thrower>(sink);
  };
  return format;
}

class Ignored : public ImpressionSink {
 public:
  void add(const Impression& /*impression*/) override {}
};

// The message, with FILE for the name of the file.
std::string refusal_of(const LogFormat& format, const std::string& text, unsigned threads = 1,
                       std::uint64_t part_bytes = kPartBytes) {
  const TemporaryFile file(text);
  try {
    read_log(open_log({file.path()}, format, part_bytes), {threads, false, {}},
             [](std::size_t) { return std::make_shared<Ignored>(); });
  } catch (const InputError& error) {
    std::string message = error.what();
    const std::size_t at = message.find(file.path());
    return at == 0 ? message.replace(0, file.path().size(), "FILE") : message;
  }
  return "accepted";
}

TEST(GuardedParser, NamesFileLineAndFormatWhateverIsThrown) {
  const LogFormat format = throwing();
  EXPECT_EQ(refusal_of(format, "x\nruntime\n"), "FILE:2: log format 'throwing': I cannot");
  EXPECT_EQ(refusal_of(format, "logic\n"), "FILE:1: log format 'throwing': beyond the end");
  EXPECT_EQ(refusal_of(format, "x\n\nnumber\n"),
            "FILE:3: log format 'throwing': an exception that is not a std::exception");
  EXPECT_EQ(refusal_of(format, "at the end\nx\n"),
            "FILE:2: log format 'throwing': something is missing");
  EXPECT_EQ(refusal_of(format, "x\n"), "accepted");
}

TEST(GuardedParser, CountsLinesThroughAFileThatIsReadInParts) {
  std::string text;
  for (int n = 1; n <= 3000; ++n) text += n == 1234 || n == 2345 ? "runtime\n" : "a line\n";
  for (const unsigned threads : {1U, 2U, 4U}) {
    EXPECT_EQ(refusal_of(throwing(), text, threads, 1000),
              "FILE:1234: log format 'throwing': I cannot");
  }
}

TEST(GuardedParser, NamesAFormatThatHasNoParserOrCannotMakeOne) {
  LogFormat format = throwing();
  format.parser = [](ImpressionSink&, LogReport&) { return std::unique_ptr<LogParser>(); };
  EXPECT_EQ(refusal_of(format, "x\n"), "FILE: log format 'throwing': it gives no parser");
  format.of_table = [](LogHead, const Columns&) -> FileFormat {
    throw std::runtime_error("no such table");
  };
  EXPECT_EQ(refusal_of(format, "x\n"), "FILE: log format 'throwing': no such table");
}

// A page built by hand, for every line.
struct HandMade {
  std::string query = "q";
  std::vector<std::string> items{"a", "b"};
  std::vector<std::uint8_t> clicks{1, 0};
};

class HandMaker : public LogParser {
 public:
  HandMaker(ImpressionSink& sink, HandMade page) : sink_(&sink), page_(std::move(page)) {}
  void line(std::string_view /*line*/) override {
    std::vector<Id> items;
    for (const std::string& item : page_.items) items.emplace_back(item);
    sink_->add({Id(page_.query), items, page_.clicks});
  }
  void finish() override {}

 private:
  ImpressionSink* sink_;
  HandMade page_;
};

LogFormat format_of(const HandMade& page) {
  LogFormat format;
  format.name = "hand-made";
  format.parser = [page](ImpressionSink& sink, LogReport&) -> std::unique_ptr<LogParser> {
    return std::make_unique<HandMaker>(sink, page);
  };
  return format;
}

// A list of so many different items without a click.
HandMade list_of(std::size_t n) {
  HandMade page{"q", {}, std::vector<std::uint8_t>(n)};
  for (std::size_t k = 0; k < n; ++k) page.items.push_back(fmt::format("i{}", k));
  return page;
}

TEST(GuardedParser, RefusesAListThatIsLongerThanAnyMayBe) {
  EXPECT_EQ(refusal_of(format_of(list_of(kMaxPositions)), "x\n"), "accepted");
  for (const std::size_t n : {std::size_t{0}, kMaxPositions + 1, 10 * kMaxPositions}) {
    EXPECT_EQ(refusal_of(format_of(list_of(n)), "x\n"),
              fmt::format("FILE:1: log format 'hand-made': an impression has {0} items and clicks "
                          "for {0}: it must have 1 to 256 items, and as many clicks, 0 or 1",
                          n));
  }
}

TEST(GuardedParser, RefusesIdsThatNoFileCanHoldItemsTwiceAndOtherClicks) {
  const auto refused = [](const HandMade& page) {
    const std::string message = refusal_of(format_of(page), "x\n");
    const std::string begin = "FILE:1: log format 'hand-made': an impression of query ";
    EXPECT_TRUE(message.starts_with(begin)) << message;
    return message.substr(std::min(message.size(), begin.size()));
  };
  EXPECT_EQ(refusal_of(format_of({}), "x\n"), "accepted");
  EXPECT_EQ(refused({.query = ""}), "'': an empty id: ''");
  EXPECT_EQ(refused({.items = {"a", ""}}), "'q': an empty id: ''");
  EXPECT_EQ(refused({.items = {std::string("a\0b", 3), "b"}}), "'q': a NUL byte: 'a\\x00b'");
  EXPECT_EQ(refused({.items = {"a", "\xff\xfe"}}), "'q': not UTF-8: '\\xff\\xfe'");
  EXPECT_TRUE(refused({.items = {std::string(kMaxId + 1, 'x'), "b"}})
                  .starts_with("'q': an id longer than 1 KiB: 'xxx"));
  EXPECT_EQ(refusal_of(format_of({.items = {std::string(kMaxId, 'x'), "b"}}), "x\n"), "accepted");
  EXPECT_EQ(refused({.items = {"a", "a"}}), "'q': an item twice in one list");
  EXPECT_EQ(refused({.clicks = {0, 7}}), "'q': its click at position 2 is 7, not 0 or 1");
}

TEST(GuardedParser, CountsImpressionsAndClicksItselfWhateverTheParserCounts) {
  for (const int times : {0, 1, 2}) {
    LogFormat format = format_of({});
    format.parser = [made = format.parser, times](ImpressionSink& sink, LogReport& report) {
      report.impressions += 17U * static_cast<unsigned>(times);
      report.clicks += static_cast<unsigned>(times);
      return made(sink, report);
    };
    const TemporaryFile file("x\nx\nx\n");
    const LogReport report = read_log(open_log({file.path()}, format), {1, false, {}},
                                      [](std::size_t) { return std::make_shared<Ignored>(); });
    EXPECT_EQ(report.impressions, 3U);
    EXPECT_EQ(report.clicks, 3U);
  }
}

TEST(GuardedParser, LeavesWhatTheSinkThrowsAsItIs) {
  class Full : public ImpressionSink {
   public:
    void add(const Impression& /*impression*/) override { throw std::length_error("full"); }
  };
  const TemporaryFile file("x\n");
  const auto read = [&](const auto& sink_for) {
    read_log(open_log({file.path()}, throwing()), {1, false, {}}, sink_for);
  };
  EXPECT_THROW(read([](std::size_t) { return std::make_shared<Full>(); }), std::length_error);
}

}  // namespace
}  // namespace dcmrank
