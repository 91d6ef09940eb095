// One impression a line: query <tab> item,item,... <tab> clicked,clicked,...
#include <algorithm>
#include <optional>
#include <vector>

#include "dcmrank/log/format.h"
#include "dcmrank/page/fields.h"
#include "dcmrank/page/known_pages.h"

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
  Tsv(ImpressionSink& sink, LogReport& report) : report_(&report), pages_(&sink) {}

  void line(std::string_view line) override {
    split_line(line, MarkedLine(line, splits_at()).separators());
  }
  std::string_view splits_at() const override { return "\t,"; }
  void split_line(std::string_view line, const Separators& separators) override {
    if (const auto fault = show(line, separators)) {
      report_->note(*fault, line);
      return;
    }
    ++report_->impressions;
    report_->clicks += page_->clicks();
    pages_.hand_over();
  }

  void finish() override { pages_.finish(); }

 private:
  static constexpr std::size_t kTab = 0;  // of the separators
  static constexpr std::size_t kComma = 1;

  std::optional<Skip> show(std::string_view line, const Separators& separators) {
    const std::size_t first = separators.next(kTab, 0);
    const std::size_t second = separators.next(kTab, first + 1);
    if (second >= line.size()) return Skip::kTooFewFields;
    if (separators.next(kTab, second + 1) < line.size()) return Skip::kTooManyFields;
    bool known = false;
    page_ = &pages_.page_of({line.data(), second}, known);
    if (!known) {
      separators.find(kComma, first + 1, second, commas_);
      if (const auto fault = read_list({line.data(), second}, first)) return fault;
    }
    if (second + 1 < line.size()) click(line, second + 1, separators);
    return std::nullopt;
  }

  // The query, a tab, and the items.
  std::optional<Skip> read_list(std::string_view text, std::size_t tab) {
    if (const auto fault = page_->set_given_query(text.data(), text.substr(0, tab))) return fault;
    const auto item = [&](std::size_t k) { return entry(text, tab, k); };
    if (const auto fault = page_->add_given_items(text.data(), commas_.size() + 1, item)) {
      return fault;
    }
    return page_->finish_list();
  }

  // Those named from there on.
  void click(std::string_view line, std::size_t begin, const Separators& separators) {
    for (std::size_t end = begin; end < line.size(); begin = end + 1) {
      end = separators.next(kComma, begin);
      const auto clicked = between(line, begin, end);
      if (const auto fault = page_->click(Id::padded(clicked))) report_->note(*fault, clicked);
    }
  }

  // What stands between two of the commas behind the tab.
  std::string_view entry(std::string_view text, std::size_t tab, std::size_t i) const {
    return between(text, (i == 0 ? tab : commas_[i - 1]) + 1, commas_[i]);
  }
  // Without the spaces around it; something stands before and behind it.
  static std::string_view between(std::string_view text, std::size_t begin, std::size_t end) {
    const char* const at = text.data();
    const std::string_view id(at + begin, end - begin);
    return at[begin] == ' ' || at[end - 1] == ' ' ? without_spaces(id) : id;
  }

  LogReport* report_;
  KnownPages pages_;
  Page* page_ = nullptr;
  Places commas_;
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
