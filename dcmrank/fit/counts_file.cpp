#include "dcmrank/fit/counts_file.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/fit/counts_lines.h"
#include "dcmrank/fit/sample_tails.h"

namespace dcmrank {
namespace {

// The order of a file: queries by their texts, the items of each likewise, so that equal counts are
// equal files.
struct FileOrder {
  std::vector<std::uint32_t> queries;
  std::vector<std::uint32_t> items;      // of all queries, one query after the other
  std::vector<std::size_t> begin = {0};  // of the items of each query, and their end
};

template <class Ids>
void sort_by_text(const Ids& ids, std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end(),
            [&](std::uint32_t a, std::uint32_t b) { return ids.text(a) < ids.text(b); });
}

FileOrder file_order(const CountsTable& counts) {
  std::vector<std::vector<std::uint32_t>> items(counts.query_count());
  for (std::uint32_t i = 0; i < counts.item_count(); ++i) {
    items[counts.item_ids().scope(i)].push_back(i);
  }
  FileOrder order;
  order.queries.resize(counts.query_count());
  std::iota(order.queries.begin(), order.queries.end(), 0U);
  sort_by_text(counts.query_ids(), order.queries);
  for (const std::uint32_t q : order.queries) {
    sort_by_text(counts.item_ids(), items[q]);
    order.items.insert(order.items.end(), items[q].begin(), items[q].end());
    order.begin.push_back(order.items.size());
  }
  return order;
}

// Logs have no ids that cannot be fields; tables may.
std::string_view field_of(std::string_view id) {
  if (id.find_first_of("\t\n") == std::string_view::npos) return id;
  throw InputError(fmt::format(
      "a counts file cannot hold the id {}, which has a tab or a line break in it; 'fit' "
      "reads such a log itself",
      quote(id)));
}

class CountsPrinter {
 public:
  explicit CountsPrinter(const LogStatistics& log)
      : log_(&log), order_(file_order(log.statistics.counts)) {
    if (!log.statistics.tails) return;
    std::vector<std::uint32_t> query_of(order_.queries.size());
    std::vector<std::uint32_t> item_of(order_.items.size());
    for (std::uint32_t n = 0; n < query_of.size(); ++n) query_of[order_.queries[n]] = n;
    for (std::uint32_t n = 0; n < item_of.size(); ++n) item_of[order_.items[n]] = n;
    tails_ = SampleTails(*log.statistics.tails, query_of, item_of, query_of.size());
  }

  std::string print() {
    print_head();
    for (std::size_t q = 0; q < order_.queries.size(); ++q) print_query(q);
    fmt::format_to(end(), "end\t{}\n", records_);
    return std::move(out_);
  }

 private:
  std::back_insert_iterator<std::string> end() { return std::back_inserter(out_); }

  // A file of counts alone is one that earlier versions read.
  void print_head() {
    const LogReport& report = log_->report;
    const Needs held = log_->statistics.holds();
    const bool more = held.any_tails() || held.any_contexts();
    out_ = fmt::format("{}\t{}\n", kCountsFormat, more ? 2 : 1);
    if (more) {
      out_ += kHolds;
      if (held.any_tails()) out_ += fmt::format("\t{}", held.chains ? kHoldsChains : kHoldsTails);
      if (held.any_contexts()) {
        out_ += fmt::format("\t{}", held.contexts ? kHoldsContexts : kHoldsPositions);
      }
      out_ += '\n';
    }
    fmt::format_to(end(), "log\t{}\t{}\t{}\t{:016x}\n", report.lines, report.impressions,
                   report.clicks, report.fingerprint);
    for (std::size_t r = 0; r < kSkips; ++r) {
      if (report.skipped[r] == 0) continue;
      fmt::format_to(end(), "skipped\t{}\t{}\n", skip_info(static_cast<Skip>(r)).name,
                     report.skipped[r]);
    }
  }

  void print_query(std::size_t q) {
    const CountsTable& counts = log_->statistics.counts;
    const std::uint32_t number = order_.queries[q];
    const QueryCounts query = counts.of_query(number);
    fmt::format_to(end(), "query\t{}\t{:.0f}", field_of(counts.query_ids().text(number)),
                   query.impressions);
    for (const PositionCounts& p : query.positions) {
      fmt::format_to(end(), "\t{:.0f}\t{:.0f}\t{:.0f}\t{:.0f}", p.shown, p.clicked, p.last, p.end);
    }
    out_ += '\n';
    ++records_;
    for (std::size_t n = order_.begin[q]; n < order_.begin[q + 1]; ++n) print_item(order_.items[n]);
    if (tails_) tails_.of_query(q, [&](const Tail& tail) { print_tail(tail, order_.begin[q]); });
  }

  void print_item(std::uint32_t i) {
    const CountsTable& counts = log_->statistics.counts;
    const ItemCounts c = counts.of_item(i);
    fmt::format_to(end(), "item\t{}\t{:.0f}\t{:.0f}\t{:.0f}\t{:.0f}\t{:.0f}\t{:.0f}\n",
                   field_of(counts.item_ids().text(i)), c.prefix.observed, c.prefix.attracted,
                   c.first.observed, c.first.attracted, c.impressions, c.last);
    ++records_;
    if (log_->statistics.contexts) print_contexts(log_->statistics.contexts->of_item(i));
  }

  void print_contexts(std::span<const ContextCounts> contexts) {
    if (contexts.empty()) return;
    out_ += "shown";
    for (const ContextCounts& at : contexts) {
      fmt::format_to(end(), "\t{}\t{}\t{:.0f}\t{:.0f}", at.position + 1, at.distance,
                     at.counts.observed, at.counts.attracted);
    }
    out_ += '\n';
    ++records_;
  }

  // Items by their place among those of the query.
  void print_tail(const Tail& tail, std::size_t begin) {
    const auto from_1 = [](std::uint32_t n, std::size_t from) {
      return n == Tail::kNone ? 0 : n - from + 1;
    };
    fmt::format_to(end(), "tail\t{:.0f}\t{}\t{}", tail.impressions, from_1(tail.last, 0),
                   from_1(tail.clicked, begin));
    for (const std::uint32_t i : tail.items) fmt::format_to(end(), "\t{}", from_1(i, begin));
    out_ += '\n';
    ++records_;
  }

  const LogStatistics* log_;
  FileOrder order_;
  SampleTails tails_;
  std::string out_;
  std::uint64_t records_ = 0;
};

}  // namespace

std::string print_counts(const LogStatistics& log) { return CountsPrinter(log).print(); }

}  // namespace dcmrank
