// What parsers of others throw arrives with file, line and format.
#include "dcmrank/log/guarded_parser.h"

#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/log/reader.h"
#include "dcmrank/source/temporary_file_test.h"

namespace dcmrank {
namespace {

// Lines are pages of one item, but for those that say what to throw.
class Thrower : public LogParser {
 public:
  Thrower(ImpressionSink& sink, LogReport& report) : sink_(&sink), report_(&report) {}
  void line(std::string_view line) override {
    if (line == "runtime") throw std::runtime_error("I cannot");
    if (line == "logic") throw std::out_of_range("beyond the end");
    if (line == "number") throw 7;
    if (line == "at the end") at_the_end_ = true;
    const Id item("a");
    const std::uint8_t click = 0;
    ++report_->impressions;
    sink_->add({Id("q"), {&item, 1}, {&click, 1}});
  }
  void finish() override {
    if (at_the_end_) throw std::runtime_error("something is missing");
  }

 private:
  ImpressionSink* sink_;
  LogReport* report_;
  bool at_the_end_ = false;
};

LogFormat throwing() {
  LogFormat format;
  format.name = "throwing";
  format.parser = [](ImpressionSink& sink, LogReport& report) -> std::unique_ptr<LogParser> {
    return std::make_unique<Thrower>(sink, report);
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
