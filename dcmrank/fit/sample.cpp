#include "dcmrank/fit/sample.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

namespace dcmrank {
namespace {

constexpr std::uint32_t kLeftOut = Tail::kNone;

// The numbers of queries, most frequent first.
std::vector<std::uint32_t> chosen_queries(const CountsTable& counts, const QueryChoice& selection) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t q = 0; q < counts.query_count(); ++q) {
    if (counts.impressions_of_query(q) >= std::max(1.0, selection.min_impressions)) {
      order.push_back(q);
    }
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double x = counts.impressions_of_query(a);
    const double y = counts.impressions_of_query(b);
    return x != y ? x > y : counts.query_ids().text(a) < counts.query_ids().text(b);
  });
  order.resize(std::min(order.size(), selection.top));
  return order;
}

// Lays items out query by query; then those of each query are sorted.
void order_items(const CountsTable& counts, SampleOrder& order) {
  const auto place_of = [&](std::uint32_t i) { return order.query_of[counts.item_ids().scope(i)]; };
  order.begin.assign(order.queries.size() + 1, 0);
  for (std::uint32_t i = 0; i < counts.item_count(); ++i) {
    if (place_of(i) != kLeftOut) ++order.begin[place_of(i) + 1];
  }
  std::partial_sum(order.begin.begin(), order.begin.end(), order.begin.begin());
  order.items.resize(order.begin.back());
  std::vector<std::size_t> next(order.begin.begin(), order.begin.end() - 1);
  for (std::uint32_t i = 0; i < counts.item_count(); ++i) {
    if (place_of(i) != kLeftOut) order.items[next[place_of(i)]++] = i;
  }
  for (std::size_t q = 0; q < order.queries.size(); ++q) {
    const auto at = [&](std::size_t n) {
      return order.items.begin() + static_cast<std::ptrdiff_t>(n);
    };
    std::sort(at(order.begin[q]), at(order.begin[q + 1]), [&](std::uint32_t a, std::uint32_t b) {
      const double x = counts.impressions_of_item(a);
      const double y = counts.impressions_of_item(b);
      return x != y ? x > y : counts.item_ids().text(a) < counts.item_ids().text(b);
    });
  }
}

// For every number in `order` its place there.
std::vector<std::uint32_t> places(const std::vector<std::uint32_t>& order, std::size_t size) {
  std::vector<std::uint32_t> place(size, kLeftOut);
  for (std::uint32_t n = 0; n < order.size(); ++n) place[order[n]] = n;
  return place;
}

// Hands the tail of every impression to a visitor, in the sample's numbers.
class TailsOfImpressions : public ImpressionSink {
 public:
  TailsOfImpressions(const Interner& queries, const Interner& items, TailKind kind,
                     const TailVisitor& visit)
      : queries_(&queries), item_ids_(&items), kind_(kind), visit_(&visit) {}

  void add(const Impression& impression) override {
    const std::uint32_t query = queries_->find(0, impression.query);
    if (query == Interner::kAbsent) return;
    items_.clear();
    for (const Id& id : impression.items) {
      items_.push_back(item_ids_->find(query, id));
      if (items_.back() == Interner::kAbsent) {
        throw std::runtime_error("the log changed while it was read");
      }
    }
    const Tail tail = tail_of(kind_, query, items_, impression.clicks);
    if (!tail.items.empty()) (*visit_)(tail);
  }

 private:
  const Interner* queries_;
  const Interner* item_ids_;
  TailKind kind_;
  const TailVisitor* visit_;
  std::vector<std::uint32_t> items_;
};

}  // namespace

SampleOrder order_of(const CountsTable& counts, const QueryChoice& selection) {
  SampleOrder order;
  order.queries = chosen_queries(counts, selection);
  order.query_of = places(order.queries, counts.query_count());
  for (const std::uint32_t q : order.queries) {
    order.positions = std::max(order.positions, counts.positions_of_query(q));
  }
  order_items(counts, order);
  return order;
}

Sample piece_of_sample(const Statistics& statistics, const SampleOrder& order, std::size_t first,
                       std::size_t end) {
  const CountsTable& counts = statistics.counts;
  Sample sample;
  sample.positions = order.positions;
  for (std::size_t q = first; q < end; ++q) {
    const std::uint32_t query = order.queries[q];
    sample.queries.push_back({std::string(counts.query_ids().text(query)), counts.of_query(query),
                              sample.items.size(), 0});
    for (std::size_t n = order.begin[q]; n < order.begin[q + 1]; ++n) {
      const std::uint32_t i = order.items[n];
      sample.items.push_back({std::string(counts.item_ids().text(i)),
                              static_cast<std::uint32_t>(q - first),
                              counts.of_item(i),
                              {}});
      if (!statistics.contexts) continue;
      const auto contexts = statistics.contexts->of_item(i);
      sample.items.back().contexts.assign(contexts.begin(), contexts.end());
    }
    sample.queries.back().end = sample.items.size();
  }
  return sample;
}

Sample make_sample(const Statistics& statistics, const QueryChoice& selection) {
  const SampleOrder order = order_of(statistics.counts, selection);
  Sample sample = piece_of_sample(statistics, order, 0, order.queries.size());
  if (!statistics.tails || statistics.tails->overflown()) return sample;
  const auto item_of = places(order.items, statistics.counts.item_count());
  sample.tails = SampleTails(*statistics.tails, order.query_of, item_of, order.queries.size());
  return sample;
}

SampleTails tails_of_log(const Log& log, const ReadControl& control, TailKind kind,
                         const Sample& sample) {
  const auto queries = std::make_shared<Interner>();
  const auto items = std::make_shared<Interner>();
  for (const SampleQuery& query : sample.queries) queries->intern(0, Id(query.id));
  for (const SampleItem& item : sample.items) items->intern(item.query, Id(item.id));
  return SampleTails([=](const TailVisitor& visit) {
    auto sink = std::make_shared<TailsOfImpressions>(*queries, *items, kind, visit);
    read_log(log, {1, false, control}, [&](std::size_t) { return sink; });
  });
}

}  // namespace dcmrank
