#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/fit/counts_file.h"
#include "dcmrank/fit/counts_lines.h"
#include "dcmrank/page/fields.h"

namespace dcmrank {
namespace {

// Reads a file line by line into the log that it is merged into.
class CountsReader {
 public:
  CountsReader(const std::string& source, LogStatistics& log)
      : source_(&source), log_(&log), wanted_(log.statistics.holds()) {}

  void read(std::string_view text) {
    std::string_view line;
    if (!next_line(text, line)) line = text;
    read_version(line);
    if (version_ == 2) {
      if (!next_line(text, line)) fail("the file is cut off");
      read_holds(line);
    }
    if (!held_.covers(wanted_)) {
      throw InputError(fmt::format("{}: the counts lack what is needed beyond them", *source_));
    }
    while (!ended_) {
      if (!next_line(text, line)) fail("the file is cut off");
      record(line);
    }
    if (!text.empty()) fail("unexpected text after the end");
  }

  // What the start of a file says.
  Needs held(std::string_view text) {
    std::string_view line;
    if (!next_line(text, line)) line = text;
    read_version(line);
    if (version_ == 2 && next_line(text, line)) read_holds(line);
    return held_;
  }

 private:
  bool next_line(std::string_view& text, std::string_view& line) {
    ++line_;
    return cut_field(text, '\n', line);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(fmt::format("{}: line {}: {}", *source_, line_, why));
  }

  void read_version(std::string_view line) {
    split_fields(line, '\t', fields_);
    if (fields_.size() != 2 || fields_[0] != kCountsFormat) {
      fail(line.empty() ? "not a counts file: it is empty"
                        : "not a counts file, as 'dcmrank count' writes it");
    }
    if (fields_[1].ends_with('\r')) {
      fail("its lines end in CR LF: it was changed since it was written");
    }
    const auto version = parse_unsigned(fields_[1]);
    if (!version || *version == 0) fail(fmt::format("{} is no version", quote(fields_[1])));
    if (*version > 2) fail("the file is of a later version");
    version_ = static_cast<int>(*version);
  }

  void read_holds(std::string_view line) {
    split_fields(line, '\t', fields_);
    if (fields_[0] != kHolds) fail("what the file holds is not said");
    for (std::size_t f = 1; f < fields_.size(); ++f) {
      if (fields_[f] == kHoldsTails) {
        held_.tails = true;
      } else if (fields_[f] == kHoldsChains) {
        held_.chains = true;
      } else if (fields_[f] == kHoldsPositions) {
        held_.positions = true;
      } else if (fields_[f] == kHoldsContexts) {
        held_.contexts = true;
      } else {
        fail(fmt::format("{} is nothing that a counts file holds", quote(fields_[f])));
      }
    }
  }

  void record(std::string_view line) {
    split_fields(line, '\t', fields_);
    const std::string_view type = fields_[0];
    if (type == "item") return item();
    if (type == "tail" && held_.any_tails()) return tail();
    if (type == "shown" && held_.any_contexts()) return contexts();
    if (type == "query") return query();
    if (type == "skipped") return skipped();
    if (type == "log") return log();
    if (type == "end") return end();
    fail(fmt::format("{} is not a record of {} counts file", quote(type),
                     version_ == 1 ? "a" : "this"));
  }

  void need(std::size_t fields) const {
    if (fields_.size() != fields) {
      fail(fmt::format("{} fields instead of {}", fields_.size(), fields));
    }
  }

  std::uint64_t number(std::size_t field, std::uint64_t most = std::uint64_t{1} << 53U) const {
    const auto value = parse_unsigned(fields_[field]);
    if (value && *value <= most) return *value;
    fail(fmt::format("{} is not a whole number up to {}", quote(fields_[field]),
                     most == std::uint64_t{1} << 53U ? "2^53" : std::to_string(most)));
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
    has_log_ = true;
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

  CountsTable& counts() { return log_->statistics.counts; }

  // query ID impressions {shown clicked last end} per position
  void query() {
    if (fields_.size() < 3 || fields_.size() % 4 != 3 || fields_.size() > 3 + 4 * kMaxPositions) {
      fail("a query needs four numbers per position");
    }
    query_ = counts().query(id(1));
    has_query_ = true;
    items_.clear();
    QueryCounts added{real(2), {}};
    for (std::size_t f = 3; f < fields_.size(); f += 4) {
      const PositionCounts at{real(f), real(f + 1), real(f + 2), real(f + 3)};
      if (at.clicked > at.shown || at.shown > added.impressions || at.last > at.clicked) {
        fail("more clicks than impressions");
      }
      added.positions.push_back(at);
    }
    positions_ = added.positions.size();
    counts().add_to_query(query_, added);
    ++records_;
  }

  void item() {
    need(8);
    if (!has_query_) fail("an item before any query");
    const ItemCounts added{{real(2), real(3)}, {real(4), real(5)}, real(6), real(7)};
    if (added.prefix.attracted > added.prefix.observed ||
        added.first.attracted > added.first.observed ||
        std::max(added.prefix.observed, added.first.observed) > added.impressions) {
      fail("more clicks than impressions");
    }
    items_.push_back(counts().item(query_, id(1)));
    counts().add_to_item(items_.back(), added);
    ++records_;
  }

  // shown {position distance shown clicked}..., of the item above
  void contexts() {
    if (items_.empty()) fail("no item stands above");
    if (fields_.size() % 4 != 1) fail("a context needs four numbers");
    ++records_;
    for (std::size_t f = 1; f < fields_.size(); f += 4) {
      const std::uint64_t position = number(f, positions_);
      if (position == 0) fail("positions count from 1");
      const auto distance = static_cast<std::uint32_t>(number(f + 1, position - 1));
      const Counts clicks{real(f + 2), real(f + 3)};
      if (clicks.attracted > clicks.observed) fail("more clicks than impressions");
      if (!wanted_.any_contexts()) continue;
      log_->statistics.contexts->add(items_.back(), {static_cast<std::uint32_t>(position - 1),
                                                     wanted_.contexts ? distance : 0, clicks});
    }
  }

  // tail impressions last clicked item..., items by their place among those of the query
  void tail() {
    if (fields_.size() < 5) fail("a tail needs at least an item");
    ++records_;
    Tail tail{query_, Tail::kNone, Tail::kNone, {}, real(1)};
    const std::uint64_t last = number(2, positions_);
    const std::uint64_t clicked = number(3, items_.size());
    if ((clicked != 0) != (held_.chains && last != 0) || (last == 0 && !held_.chains)) {
      fail("its last click is not that of such a tail");
    }
    if (fields_.size() - 4 > positions_ - last) fail("the tail is longer than the lists");
    tail_.clear();
    for (std::size_t f = 4; f < fields_.size(); ++f) tail_.push_back(shown(f));
    if (clicked != 0) tail_.push_back(items_[clicked - 1]);
    require_different();
    if (clicked != 0) tail_.pop_back();
    if (!wanted_.any_tails() || (last == 0 && !wanted_.chains)) return;
    if (last != 0) tail.last = static_cast<std::uint32_t>(last - 1);
    if (clicked != 0 && wanted_.chains) tail.clicked = items_[clicked - 1];
    tail.items = tail_;
    log_->statistics.tails->add(tail);
  }

  std::uint32_t shown(std::size_t field) const {
    const std::uint64_t n = number(field, items_.size());
    if (n == 0) fail("items count from 1");
    return items_[n - 1];
  }

  void require_different() {
    sorted_ = tail_;
    std::sort(sorted_.begin(), sorted_.end());
    if (std::adjacent_find(sorted_.begin(), sorted_.end()) != sorted_.end()) {
      fail("the tail has an item twice");
    }
  }

  void end() {
    need(2);
    const std::uint64_t all = number(1);
    if (records_ < all) fail(fmt::format("records are missing: {} of {} are there", records_, all));
    if (records_ > all) fail(fmt::format("{} records, and its end counts {}", records_, all));
    if (!has_log_) fail("records are missing: what was read of the log (log)");
    ended_ = true;
  }

  const std::string* source_;
  LogStatistics* log_;
  Needs wanted_;
  Needs held_;
  int version_ = 1;
  std::vector<std::string_view> fields_;
  std::uint64_t line_ = 0;
  std::uint64_t records_ = 0;
  std::uint32_t query_ = 0;
  bool has_query_ = false;
  bool has_log_ = false;
  std::size_t positions_ = 0;         // of the query
  std::vector<std::uint32_t> items_;  // of the query, in the order of the file
  std::vector<std::uint32_t> tail_;
  std::vector<std::uint32_t> sorted_;
  bool ended_ = false;
};

}  // namespace

Needs held_by_counts(std::string_view text, const std::string& source) {
  LogStatistics nothing;
  return CountsReader(source, nothing).held(text);
}

void merge_counts(std::string_view text, const std::string& source, LogStatistics& log) {
  CountsReader(source, log).read(text);
}

}  // namespace dcmrank
