#include "dcmrank/fit/counts_rows.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/page/fields.h"

namespace dcmrank {
namespace {

constexpr char kBetween = '\0';  // no id has it
constexpr std::uint64_t kHalf = std::uint64_t{1} << 32U;
constexpr double kMostCounted = 0x1p53;

std::int64_t whole(double count) { return static_cast<std::int64_t>(count); }
std::int64_t whole(std::uint64_t count) { return static_cast<std::int64_t>(count); }

class RowVisit {
 public:
  RowVisit(const LogStatistics& log, const std::function<void(const CountsRow&)>& visit)
      : log_(&log), counts_(&log.statistics.counts), visit_(&visit) {}

  void all() {
    report();
    for (std::uint32_t q = 0; q < counts_->query_count(); ++q) query(q);
    for (std::uint32_t i = 0; i < counts_->item_count(); ++i) item(i);
    if (!log_->statistics.tails) return;
    for (std::uint32_t n = 0; n < log_->statistics.tails->size(); ++n) {
      tail((*log_->statistics.tails)[n]);
    }
  }

 private:
  void hand(std::string_view query, RowKind kind, const std::array<std::int64_t, 6>& counts) {
    (*visit_)({query, kind, key_, counts});
  }

  // Sums of the fingerprint are taken modulo 2^64: as two halves, so that they do not overflow.
  void report() {
    const LogReport& report = log_->report;
    key_.clear();
    hand("", RowKind::kLog,
         {whole(report.lines), whole(report.impressions), whole(report.clicks),
          whole(report.fingerprint / kHalf), whole(report.fingerprint % kHalf), 0});
    for (std::size_t r = 0; r < kSkips; ++r) {
      if (report.skipped[r] == 0) continue;
      key_ = skip_info(static_cast<Skip>(r)).name;
      hand("", RowKind::kSkipped, {whole(report.skipped[r])});
    }
  }

  // Of a position the lists that end there, not those that reach it: so positions add up alone.
  void query(std::uint32_t q) {
    const QueryCounts counts = counts_->of_query(q);
    const std::string_view id = counts_->query_ids().text(q);
    key_.clear();
    hand(id, RowKind::kQuery, {whole(counts.impressions)});
    for (std::size_t k = 0; k < counts.positions.size(); ++k) {
      const PositionCounts& at = counts.positions[k];
      const double below = k + 1 < counts.positions.size() ? counts.positions[k + 1].shown : 0;
      key_ = std::to_string(k + 1);
      hand(id, RowKind::kPosition,
           {whole(at.shown - below), whole(at.clicked), whole(at.last), whole(at.end)});
    }
  }

  void item(std::uint32_t i) {
    const ItemCounts counts = counts_->of_item(i);
    const std::string_view query = counts_->query_ids().text(counts_->item_ids().scope(i));
    key_ = counts_->item_ids().text(i);
    hand(query, RowKind::kItem,
         {whole(counts.prefix.observed), whole(counts.prefix.attracted),
          whole(counts.first.observed), whole(counts.first.attracted), whole(counts.impressions),
          whole(counts.last)});
    if (!log_->statistics.contexts) return;
    const std::size_t id = key_.size();
    for (const ContextCounts& at : log_->statistics.contexts->of_item(i)) {
      key_.resize(id);
      add_part(std::to_string(at.position + 1));
      add_part(std::to_string(at.distance));
      hand(query, RowKind::kContext, {whole(at.counts.observed), whole(at.counts.attracted)});
    }
  }

  // The position of the last click, or 0; the item there, or nothing; the items below. Those of a
  // set by their texts.
  void tail(const Tail& tail) {
    texts_.clear();
    for (const std::uint32_t i : tail.items) texts_.push_back(counts_->item_ids().text(i));
    if (log_->statistics.tails->kind() == TailKind::kSets) std::sort(texts_.begin(), texts_.end());
    key_ = std::to_string(tail.last == Tail::kNone ? 0 : tail.last + 1);
    add_part(tail.clicked == Tail::kNone ? "" : counts_->item_ids().text(tail.clicked));
    for (const std::string_view text : texts_) add_part(text);
    hand(counts_->query_ids().text(tail.query), RowKind::kTail, {whole(tail.impressions)});
  }

  void add_part(std::string_view part) {
    key_ += kBetween;
    key_ += part;
  }

  const LogStatistics* log_;
  const CountsTable* counts_;
  const std::function<void(const CountsRow&)>* visit_;
  std::string key_;
  std::vector<std::string_view> texts_;
};

[[noreturn]] void refuse_row(const CountsRow& row) {
  throw InputError(fmt::format("the row of query {}, kind {}, key {} is none of counted pages",
                               quote(row.query), static_cast<int>(row.kind), quote(row.key)));
}

class RowAddition {
 public:
  RowAddition(const CountsRow& row, LogStatistics& log)
      : row_(&row), log_(&log), counts_(&log.statistics.counts) {
    for (const std::int64_t count : row.counts) {
      if (count < 0 || static_cast<double>(count) > kMostCounted) refuse_row(row);
    }
    split_fields(row.key, kBetween, parts_);
  }

  void add() {
    switch (row_->kind) {
      case RowKind::kLog:
        return report();
      case RowKind::kSkipped:
        return skipped();
      case RowKind::kQuery:
        return counts_->add_to_query(query(), {count(0), {}});
      case RowKind::kPosition:
        return position();
      case RowKind::kItem:
        return counts_->add_to_item(
            item(0), {{count(0), count(1)}, {count(2), count(3)}, count(4), count(5)});
      case RowKind::kContext:
        return context();
      case RowKind::kTail:
        return tail();
    }
    refuse_row(*row_);
  }

 private:
  std::uint64_t plain(std::size_t n) const { return static_cast<std::uint64_t>(row_->counts[n]); }
  double count(std::size_t n) const { return static_cast<double>(row_->counts[n]); }

  Id id(std::string_view text) const {
    if (text.empty() || text.size() > kMaxId) refuse_row(*row_);
    return Id(text);
  }
  std::uint32_t query() {
    if (!query_) query_ = counts_->query(id(row_->query));
    return *query_;
  }
  std::uint32_t item(std::size_t part) { return counts_->item(query(), id(parts_[part])); }

  std::uint32_t number(std::size_t part, std::size_t least, std::size_t most) const {
    const auto value = parse_unsigned(parts_[part]);
    if (!value || *value < least || *value > most) refuse_row(*row_);
    return static_cast<std::uint32_t>(*value);
  }

  void report() {
    LogReport& report = log_->report;
    report.lines += plain(0);
    report.impressions += plain(1);
    report.clicks += plain(2);
    report.fingerprint += plain(3) * kHalf + plain(4);
  }

  void skipped() {
    const auto reason = find_skip(row_->key);
    if (!reason) refuse_row(*row_);
    log_->report.skipped[static_cast<std::size_t>(*reason)] += plain(0);
  }

  void position() {
    const std::size_t k = number(0, 1, kMaxPositions);
    QueryCounts added{0, std::vector<PositionCounts>(k)};
    for (PositionCounts& at : added.positions) at.shown = count(0);
    added.positions.back() = {count(0), count(1), count(2), count(3)};
    counts_->add_to_query(query(), added);
  }

  // Estimators look up the positions that contexts and tails name.
  void have_positions(std::size_t k) {
    if (counts_->positions_of_query(query()) >= k) return;
    counts_->add_to_query(query(), {0, std::vector<PositionCounts>(k)});
  }

  void context() {
    if (!log_->statistics.contexts || parts_.size() != 3) refuse_row(*row_);
    const std::uint32_t k = number(1, 1, kMaxPositions);
    const std::uint32_t distance = number(2, 0, k - 1);
    have_positions(k);
    log_->statistics.contexts->add(item(0), {k - 1, distance, {count(0), count(1)}});
  }

  void tail() {
    if (!log_->statistics.tails || parts_.size() < 3) refuse_row(*row_);
    const bool chains = log_->statistics.tails->kind() == TailKind::kChains;
    const std::uint32_t last = number(0, chains ? 0 : 1, kMaxPositions);
    if (parts_.size() - 2 > kMaxPositions - last) refuse_row(*row_);
    if (parts_[1].empty() == (chains && last != 0)) refuse_row(*row_);
    have_positions(last + parts_.size() - 2);
    Tail tail{query(), Tail::kNone, Tail::kNone, {}, count(0)};
    if (last != 0) tail.last = last - 1;
    if (!parts_[1].empty()) tail.clicked = item(1);
    std::vector<std::uint32_t> items;
    for (std::size_t p = 2; p < parts_.size(); ++p) items.push_back(item(p));
    tail.items = items;
    log_->statistics.tails->add(tail);
  }

  const CountsRow* row_;
  LogStatistics* log_;
  CountsTable* counts_;
  std::optional<std::uint32_t> query_;
  std::vector<std::string_view> parts_;
};

}  // namespace

void visit_rows(const LogStatistics& log, const std::function<void(const CountsRow&)>& visit) {
  RowVisit(log, visit).all();
}

void add_row(const CountsRow& row, LogStatistics& log) { RowAddition(row, log).add(); }

}  // namespace dcmrank
