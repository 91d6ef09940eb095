#include "dcmrank/fit/statistics.h"

#include <algorithm>
#include <utility>

namespace dcmrank {
namespace {

// Statistics that threads take and give back: no more than there are threads.
class Pool {
 public:
  explicit Pool(const Needs& needs) : needs_(needs) {}

  std::shared_ptr<ImpressionSink> lease() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) free_.push_back(std::make_unique<Statistics>(needs_));
    Statistics* leased = free_.back().release();
    free_.pop_back();
    return {leased, [this](Statistics* returned) {
              const std::lock_guard relock(mutex_);
              free_.emplace_back(returned);
            }};
  }

  Statistics merged() {
    Statistics all = free_.empty() ? Statistics(needs_) : std::move(*free_.front());
    for (std::size_t i = 1; i < free_.size(); ++i) {
      all.take(std::move(*free_[i]));
      free_[i].reset();
    }
    return all;
  }

 private:
  Needs needs_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Statistics>> free_;
};

}  // namespace

bool Needs::covers(const Needs& other) const {
  return (chains || !other.chains) && (any_tails() || !other.any_tails()) &&
         (contexts || !other.contexts) && (any_contexts() || !other.any_contexts());
}

Needs either(const Needs& a, const Needs& b) {
  return {.tails = a.tails || b.tails,
          .positions = a.positions || b.positions,
          .most_tails = std::max(a.most_tails, b.most_tails),
          .chains = a.chains || b.chains,
          .contexts = a.contexts || b.contexts};
}

Needs common(const Needs& a, const Needs& b) {
  return {.tails = a.any_tails() && b.any_tails(),
          .positions = a.any_contexts() && b.any_contexts(),
          .most_tails = std::max(a.most_tails, b.most_tails),
          .chains = a.chains && b.chains,
          .contexts = a.contexts && b.contexts};
}

Statistics::Statistics(const Needs& needs) {
  if (needs.any_tails()) tails.emplace(needs.most_tails, needs.tail_kind());
  if (needs.any_contexts()) contexts.emplace(needs.contexts);
}

void Statistics::add(const Impression& impression) {
  const std::uint32_t query = counts.add(impression, items_);
  if (tails) tails->add(query, items_, impression.clicks);
  if (contexts) contexts->add(items_, impression.clicks);
}

void Statistics::add_repeated(const Impression& impression, std::uint32_t times) {
  if (!takes_repeats()) return ImpressionSink::add_repeated(impression, times);
  counts.add(impression, items_, times);
}

void Statistics::add_several(std::span<const Impression> impressions) {
  if (!takes_repeats()) return ImpressionSink::add_several(impressions);
  counts.add_several(impressions);
}

void Statistics::merge(const Statistics& other) { take(Statistics(other)); }

Needs Statistics::holds() const {
  Needs needs;
  if (tails) {
    needs.most_tails = tails->most();
    (tails->kind() == TailKind::kChains ? needs.chains : needs.tails) = true;
  }
  if (contexts) (contexts->last_click() ? needs.contexts : needs.positions) = true;
  return needs;
}

void Statistics::keep(const Needs& needs) {
  if (!needs.any_tails()) tails.reset();
  if (tails && tails->kind() != needs.tail_kind()) tails = tails->as_sets();
  if (!needs.any_contexts()) contexts.reset();
  if (contexts && contexts->last_click() && !needs.contexts) contexts = contexts->by_position();
}

void Statistics::take(Statistics&& other) {
  const Needs both = common(holds(), other.holds());
  keep(both);
  other.keep(both);
  std::vector<std::uint32_t> query_of;
  std::vector<std::uint32_t> item_of;
  counts.take(std::move(other.counts), query_of, item_of);
  if (tails) tails->merge(*other.tails, query_of, item_of);
  if (contexts) contexts->merge(*other.contexts, item_of);
}

LogStatistics collect(const Log& log, const ReadOptions& options, const Needs& needs) {
  Pool pool(needs);
  LogReport report = read_log(log, options, [&](std::size_t) { return pool.lease(); });
  return {pool.merged(), std::move(report)};
}

}  // namespace dcmrank
