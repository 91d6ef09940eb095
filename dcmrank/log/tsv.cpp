// One impression a line: query <tab> item,item,... <tab> clicked,clicked,...
#include <algorithm>
#include <optional>
#include <vector>

#include "dcmrank/log/format.h"
#include "dcmrank/page/fields.h"
#include "dcmrank/page/page.h"

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
    finder_.clear();
    finder_.look(line.data(), 0, line.size());
    marked_line(line, {finder_.places(), finder_.size(), 0});
  }

  void marked_line(std::string_view line, const FieldMarks& marks) override {
    if (const auto fault = show(line, marks)) {
      report_->note(*fault, line);
      return;
    }
    ++report_->impressions;
    report_->clicks += page_.clicks();
    sink_->add(page_.impression());
  }

  Separators separators() const override { return kSeparators; }

  void finish() override {}

 private:
  static constexpr Separators kSeparators{'\t', ','};

  std::optional<Skip> show(std::string_view line, const FieldMarks& marks) {
    const std::string_view text = page_.start(line);
    std::size_t tab = 0;  // commas of the query are its own
    while (tab < marks.size() && text[marks[tab]] != '\t') ++tab;
    std::size_t second = tab + 1;
    while (second < marks.size() && text[marks[second]] != '\t') ++second;
    if (second >= marks.size()) return Skip::kTooFewFields;
    for (std::size_t m = second + 1; m < marks.size(); ++m) {
      if (text[marks[m]] == '\t') return Skip::kTooManyFields;
    }
    if (const auto fault = page_.set_query(Id::padded(text.substr(0, marks[tab])))) return fault;
    for (std::size_t m = tab; m < second; ++m) {
      if (const auto fault = page_.add_item(id_between(text, marks[m], marks[m + 1]))) return fault;
    }
    if (const auto fault = page_.finish_list()) return fault;
    if (marks[second] + 1 == text.size()) return std::nullopt;
    for (std::size_t m = second; m < marks.size(); ++m) {
      const Id clicked =
          id_between(text, marks[m], m + 1 < marks.size() ? marks[m + 1] : text.size());
      if (const auto fault = page_.click(clicked)) report_->note(*fault, clicked.text);
    }
    return std::nullopt;
  }

  // What stands behind one separator and before the next.
  static Id id_between(std::string_view text, std::size_t before, std::size_t end) {
    return Id::padded(without_spaces({text.data() + before + 1, end - before - 1}));
  }

  ImpressionSink* sink_;
  LogReport* report_;
  Page page_;
  MarkFinder finder_{kSeparators};
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
