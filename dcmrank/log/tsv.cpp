// One impression a line: query <tab> item,item,... <tab> clicked,clicked,...
#include <optional>
#include <vector>

#include "dcmrank/log/fields.h"
#include "dcmrank/log/format.h"
#include "dcmrank/log/page.h"

namespace dcmrank {
namespace {

class Tsv : public LogParser {
 public:
  Tsv(ImpressionSink& sink, LogReport& report) : sink_(&sink), report_(&report) {}

  void line(std::string_view line) override {
    if (const auto fault = show(line)) {
      report_->note(*fault, line);
      return;
    }
    ++report_->impressions;
    report_->clicks += page_.clicks();
    sink_->add(page_.impression());
  }

  void finish() override {}

 private:
  std::optional<Skip> show(std::string_view line) {
    std::string_view clicked = page_.start(line);
    std::string_view query;
    std::string_view items;
    if (!cut_field(clicked, '\t', query) || !cut_field(clicked, '\t', items)) {
      return Skip::kTooFewFields;
    }
    if (clicked.find('\t') != std::string_view::npos) return Skip::kTooManyFields;
    if (const auto fault = page_.set_query(query)) return fault;
    split_fields(items, ',', fields_);
    for (const std::string_view item : fields_) {
      if (const auto fault = page_.add_item(item)) return fault;
    }
    if (const auto fault = page_.finish_list()) return fault;
    if (!clicked.empty()) click_all(clicked);
    return std::nullopt;
  }

  void click_all(std::string_view clicked) {
    split_fields(clicked, ',', fields_);
    for (const std::string_view item : fields_) {
      if (const auto fault = page_.click(item)) report_->note(*fault, item);
    }
  }

  ImpressionSink* sink_;
  LogReport* report_;
  Page page_;
  std::vector<std::string_view> fields_;
};

void write_tsv(const Impression& impression, std::uint64_t /*session*/, std::string& out) {
  out += impression.query.text;
  out += '\t';
  for (std::size_t k = 0; k < impression.items.size(); ++k) {
    if (k > 0) out += ',';
    out += impression.items[k].text;
  }
  out += '\t';
  const char* separator = "";
  for (std::size_t k = 0; k < impression.items.size(); ++k) {
    if (impression.clicks[k] == 0) continue;
    out += separator;
    out += impression.items[k].text;
    separator = ",";
  }
  out += '\n';
}

}  // namespace

const LogFormat kTsv{"tsv",
                     "query <tab> item,item,... <tab> clicked,clicked,...",
                     false,
                     "\t\r\n,",
                     [](ImpressionSink& sink, LogReport& report) -> std::unique_ptr<LogParser> {
                       return std::make_unique<Tsv>(sink, report);
                     },
                     write_tsv};

}  // namespace dcmrank
