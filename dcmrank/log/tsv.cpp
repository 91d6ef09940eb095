// One impression a line: query <tab> item,item,... <tab> clicked,clicked,...
#include <algorithm>
#include <optional>
#include <vector>

#include "dcmrank/log/fields.h"
#include "dcmrank/log/format.h"
#include "dcmrank/log/page.h"

namespace dcmrank {
namespace {

// "a, b, c" is three ids without spaces around them.
std::string_view without_spaces(std::string_view id) {
  while (id.starts_with(' ')) id.remove_prefix(1);
  while (id.ends_with(' ')) id.remove_suffix(1);
  return id;
}

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
      if (const auto fault = page_.add_item(without_spaces(item))) return fault;
    }
    if (const auto fault = page_.finish_list()) return fault;
    if (!clicked.empty()) click_all(clicked);
    return std::nullopt;
  }

  void click_all(std::string_view clicked) {
    split_fields(clicked, ',', fields_);
    for (const std::string_view item : fields_) {
      if (const auto fault = page_.click(without_spaces(item))) report_->note(*fault, item);
    }
  }

  ImpressionSink* sink_;
  LogReport* report_;
  Page page_;
  std::vector<std::string_view> fields_;
};

// Three fields, and what was clicked is in the list, for most of the lines.
bool recognises_tsv(LogHead head) {
  std::size_t good = 0;
  std::vector<std::string_view> items;
  std::vector<std::string_view> clicked;
  for (std::string_view rest : head) {
    std::string_view query;
    std::string_view list;
    if (!cut_field(rest, '\t', query) || !cut_field(rest, '\t', list)) continue;
    if (query.empty() || list.empty() || rest.find('\t') != std::string_view::npos) continue;
    split_fields(list, ',', items);
    split_fields(rest, ',', clicked);
    std::transform(items.begin(), items.end(), items.begin(), without_spaces);
    std::transform(clicked.begin(), clicked.end(), clicked.begin(), without_spaces);
    const bool known = std::all_of(clicked.begin(), clicked.end(), [&](std::string_view item) {
      return std::find(items.begin(), items.end(), item) != items.end();
    });
    if (rest.empty() || known) ++good;
  }
  return good > head.size() / 2;
}

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
                     write_tsv,
                     recognises_tsv};

}  // namespace dcmrank
