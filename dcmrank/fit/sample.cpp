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
  for (std::uint32_t q = 0; q < counts.queries().size(); ++q) {
    if (counts.queries()[q].impressions >= std::max(1.0, selection.min_impressions)) {
      order.push_back(q);
    }
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double x = counts.queries()[a].impressions;
    const double y = counts.queries()[b].impressions;
    return x != y ? x > y : counts.query_ids().text(a) < counts.query_ids().text(b);
  });
  order.resize(std::min(order.size(), selection.top));
  return order;
}

std::vector<std::uint32_t> chosen_items(const CountsTable& counts,
                                        const std::vector<std::uint32_t>& query_of) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < counts.items().size(); ++i) {
    if (query_of[counts.item_ids().scope(i)] != kLeftOut) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t p = query_of[counts.item_ids().scope(a)];
    const std::uint32_t q = query_of[counts.item_ids().scope(b)];
    if (p != q) return p < q;
    const double x = counts.items()[a].impressions;
    const double y = counts.items()[b].impressions;
    return x != y ? x > y : counts.item_ids().text(a) < counts.item_ids().text(b);
  });
  return order;
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

Sample make_sample(const Statistics& statistics, const QueryChoice& selection) {
  const CountsTable& counts = statistics.counts;
  const auto queries = chosen_queries(counts, selection);
  const auto query_of = places(queries, counts.queries().size());
  const auto items = chosen_items(counts, query_of);
  Sample sample;
  for (const std::uint32_t q : queries) {
    sample.queries.push_back({std::string(counts.query_ids().text(q)), counts.queries()[q], 0, 0});
    sample.positions = std::max(sample.positions, counts.queries()[q].positions.size());
  }
  for (const std::uint32_t i : items) {
    SampleQuery& query = sample.queries[query_of[counts.item_ids().scope(i)]];
    if (query.end == 0) query.begin = sample.items.size();
    sample.items.push_back({std::string(counts.item_ids().text(i)),
                            query_of[counts.item_ids().scope(i)],
                            counts.items()[i],
                            {}});
    if (statistics.contexts) {
      const auto contexts = statistics.contexts->of_item(i);
      sample.items.back().contexts.assign(contexts.begin(), contexts.end());
    }
    query.end = sample.items.size();
  }
  if (!statistics.tails || statistics.tails->overflown()) return sample;
  const auto item_of = places(items, counts.items().size());
  sample.tails = SampleTails(*statistics.tails, query_of, item_of, queries.size());
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
