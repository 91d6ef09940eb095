#include "dcmrank/fit/counts_file.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/page/fields.h"

namespace dcmrank {
namespace {

constexpr std::string_view kFirstLine = "dcmrank.counts\t1";

// The n numbers sorted by their texts, so that equal counts are equal files.
std::vector<std::uint32_t> by_text(const Interner& ids, std::vector<std::uint32_t> numbers) {
  std::sort(numbers.begin(), numbers.end(),
            [&](std::uint32_t a, std::uint32_t b) { return ids.text(a) < ids.text(b); });
  return numbers;
}

std::vector<std::vector<std::uint32_t>> items_of_queries(const CountsTable& counts) {
  std::vector<std::vector<std::uint32_t>> items(counts.query_count());
  for (std::uint32_t i = 0; i < counts.item_count(); ++i) {
    items[counts.item_ids().scope(i)].push_back(i);
  }
  return items;
}

// Logs have no ids that cannot be fields; tables may.
std::string_view field_of(std::string_view id) {
  if (id.find_first_of("\t\n") == std::string_view::npos) return id;
  throw InputError(fmt::format("a counts file cannot hold the id {}", quote(id)));
}

// Reads a file line by line into the log that it is merged into.
class Reader {
 public:
  Reader(const std::string& source, CountedLog& log) : source_(&source), log_(&log) {}

  void read(std::string_view text) {
    std::string_view line;
    next_line(text, line);
    if (line != kFirstLine) {
      fail(line.starts_with("dcmrank.counts\t") ? "the file is of a later version"
                                                : "not a counts file");
    }
    while (!ended_) {
      if (!next_line(text, line)) fail("the file is cut off");
      record(line);
    }
    if (!text.empty()) fail("unexpected text after the end");
  }

 private:
  bool next_line(std::string_view& text, std::string_view& line) {
    ++line_;
    return cut_field(text, '\n', line);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(fmt::format("{}: line {}: {}", *source_, line_, why));
  }

  void record(std::string_view line) {
    split_fields(line, '\t', fields_);
    const std::string_view type = fields_[0];
    if (type == "item") return item();
    if (type == "query") return query();
    if (type == "skipped") return skipped();
    if (type == "log") return log();
    if (type == "end") return end();
    fail(fmt::format("{} is not a record of a counts file", quote(type)));
  }

  void need(std::size_t fields) const {
    if (fields_.size() != fields) {
      fail(fmt::format("{} fields instead of {}", fields_.size(), fields));
    }
  }

  std::uint64_t number(std::size_t field) const {
    const auto value = parse_unsigned(fields_[field]);
    if (!value || *value > (std::uint64_t{1} << 53U)) {
      fail(fmt::format("{} is not a whole number up to 2^53", quote(fields_[field])));
    }
    return *value;
  }

  double real(std::size_t field) const { return static_cast<double>(number(field)); }

  Id id(std::size_t field) const {
    const std::string_view text = fields_[field];
    if (text.empty() || text.size() > kMaxId || !is_utf8(text) ||
        text.find('\0') != std::string_view::npos) {
      fail(fmt::format("{} is not an id", quote(text)));
    }
    return Id(text);
  }

  void log() {
    if (fields_.size() != 5) need(4);  // files of before have no fingerprint
    log_->report.lines += number(1);
    log_->report.impressions += number(2);
    log_->report.clicks += number(3);
    if (fields_.size() == 4) return;
    const auto fingerprint = parse_hex(fields_[4]);
    if (!fingerprint) fail(fmt::format("{} is not 16 hexadecimal digits", quote(fields_[4])));
    log_->report.fingerprint += *fingerprint;
  }

  void skipped() {
    need(3);
    const auto reason = find_skip(fields_[1]);
    if (!reason) fail(fmt::format("{} is not a known reason for skipping", quote(fields_[1])));
    log_->report.skipped[static_cast<std::size_t>(*reason)] += number(2);
  }

  // query ID impressions {shown clicked last end} per position
  void query() {
    if (fields_.size() < 3 || fields_.size() % 4 != 3 || fields_.size() > 3 + 4 * kMaxPositions) {
      fail("a query needs four numbers per position");
    }
    query_ = log_->counts.query(id(1));
    has_query_ = true;
    QueryCounts added{real(2), {}};
    for (std::size_t f = 3; f < fields_.size(); f += 4) {
      added.positions.push_back({real(f), real(f + 1), real(f + 2), real(f + 3)});
    }
    log_->counts.add_to_query(query_, added);
    ++records_;
  }

  void item() {
    need(8);
    if (!has_query_) fail("an item before any query");
    const std::uint32_t item = log_->counts.item(query_, id(1));
    log_->counts.add_to_item(item, {{real(2), real(3)}, {real(4), real(5)}, real(6), real(7)});
    ++records_;
  }

  void end() {
    need(2);
    if (number(1) != records_) fail("records are missing");
    ended_ = true;
  }

  const std::string* source_;
  CountedLog* log_;
  std::vector<std::string_view> fields_;
  std::uint64_t line_ = 0;
  std::uint64_t records_ = 0;
  std::uint32_t query_ = 0;
  bool has_query_ = false;
  bool ended_ = false;
};

}  // namespace

std::string print_counts(const CountedLog& log) {
  std::string out = fmt::format("{}\nlog\t{}\t{}\t{}\t{:016x}\n", kFirstLine, log.report.lines,
                                log.report.impressions, log.report.clicks, log.report.fingerprint);
  auto end = std::back_inserter(out);
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (log.report.skipped[r] == 0) continue;
    fmt::format_to(end, "skipped\t{}\t{}\n", skip_info(static_cast<Skip>(r)).name,
                   log.report.skipped[r]);
  }
  const CountsTable& counts = log.counts;
  std::vector<std::uint32_t> queries(counts.query_count());
  std::iota(queries.begin(), queries.end(), 0U);
  const auto items = items_of_queries(counts);
  for (const std::uint32_t q : by_text(counts.query_ids(), queries)) {
    const QueryCounts query = counts.of_query(q);
    fmt::format_to(end, "query\t{}\t{:.0f}", field_of(counts.query_ids().text(q)),
                   query.impressions);
    for (const PositionCounts& p : query.positions) {
      fmt::format_to(end, "\t{:.0f}\t{:.0f}\t{:.0f}\t{:.0f}", p.shown, p.clicked, p.last, p.end);
    }
    out += '\n';
    for (const std::uint32_t i : by_text(counts.item_ids(), items[q])) {
      const ItemCounts c = counts.of_item(i);
      fmt::format_to(end, "item\t{}\t{:.0f}\t{:.0f}\t{:.0f}\t{:.0f}\t{:.0f}\t{:.0f}\n",
                     field_of(counts.item_ids().text(i)), c.prefix.observed, c.prefix.attracted,
                     c.first.observed, c.first.attracted, c.impressions, c.last);
    }
  }
  fmt::format_to(end, "end\t{}\n", counts.query_count() + counts.item_count());
  return out;
}

void merge_counts(std::string_view text, const std::string& source, CountedLog& log) {
  Reader(source, log).read(text);
}

}  // namespace dcmrank
