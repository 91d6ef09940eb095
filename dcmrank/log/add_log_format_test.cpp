// A format of logs that nothing but this file knows, read and written like any other.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/log/format.h"
#include "dcmrank/page/fields.h"
#include "dcmrank/page/page.h"

namespace dcmrank {
namespace {

// "query;item;+item;item", with a plus before what was clicked.
class Plus : public LogParser {
 public:
  Plus(ImpressionSink& sink, LogReport& report) : sink_(&sink), report_(&report) {}
  void line(std::string_view line) override {
    if (const auto fault = show(line)) return report_->note(*fault, line);
    ++report_->impressions;
    sink_->add(page_.impression());
  }
  void finish() override {}

 private:
  std::optional<Skip> show(std::string_view line) {
    split_fields(page_.start(line), ';', fields_);
    if (fields_.size() < 2) return Skip::kTooFewFields;
    if (const auto fault = page_.set_query(fields_[0])) return fault;
    for (std::string_view& item : fields_) {
      if (&item == &fields_[0]) continue;
      if (const auto fault = page_.add_item(item.substr(item.starts_with('+')))) return fault;
    }
    if (const auto fault = page_.finish_list()) return fault;
    for (const std::string_view item : fields_) {
      if (item.starts_with('+')) page_.click(item.substr(1));
    }
    return std::nullopt;
  }

  ImpressionSink* sink_;
  LogReport* report_;
  Page page_;
  std::vector<std::string_view> fields_;
};

LogFormat plus(const std::string& name) {
  LogFormat format;
  format.name = name;
  format.summary = "made up by a test";
  format.separators = ";+\n";
  format.parser = [](ImpressionSink& sink, LogReport& report) -> std::unique_ptr<LogParser> {
    return std::make_unique<Plus>(sink, report);
  };
  format.write = [](const Impression& impression, std::uint64_t, std::string& out) {
    out += impression.query.text;
    for (std::size_t k = 0; k < impression.items.size(); ++k) {
      out += impression.clicks[k] != 0 ? ";+" : ";";
      out += impression.items[k].text;
    }
    out += '\n';
  };
  return format;
}

class Copy : public ImpressionSink {
 public:
  explicit Copy(const LogFormat& format) : format_(&format) {}
  void add(const Impression& impression) override { format_->write(impression, 0, text); }
  std::string text;

 private:
  const LogFormat* format_;
};

TEST(AddedLogFormat, IsKnownByItsNameAndReadsWhatItWrites) {
  add_log_format(plus("plus"));  // for all tests of this program that come after
  EXPECT_EQ(log_formats().back()->name, "plus");
  const LogFormat& format = log_format("plus");
  Copy copy(format);
  LogReport report;
  const auto parser = format.parser(copy, report);
  for (const char* line : {"q;a;+b", "r;b", "fault"}) parser->line(line);
  parser->finish();
  EXPECT_EQ(copy.text, "q;a;+b\nr;b\n");
  EXPECT_EQ(report.impressions, 2U);
}

TEST(AddedLogFormat, NeedsANameOfItsOwnAndAWholeDefinition) {
  const auto refusal = [](const LogFormat& format) {
    try {
      add_log_format(format);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal(plus("tsv")), "log format 'tsv': there is already one of that name");
  EXPECT_EQ(refusal(plus("")), "log format '': it has no name");
  for (const char* name : {"dup name", "a,b"}) {
    EXPECT_NE(refusal(plus(name)).find("its name cannot be typed"), std::string::npos) << name;
  }
  LogFormat format = plus("other");
  format.write = nullptr;
  EXPECT_EQ(refusal(format), "log format 'other': it needs parser and write");
  EXPECT_THROW(log_format("other"), InputError);
}

}  // namespace
}  // namespace dcmrank
