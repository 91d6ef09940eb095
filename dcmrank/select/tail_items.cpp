#include "dcmrank/select/tail_items.h"

#include <algorithm>
#include <bit>

#include "dcmrank/numeric/elementary.h"

namespace dcmrank {
namespace {

// From here on drawing an item together with others is cheaper than proposals for it.
constexpr double kFrequent = .15;
constexpr std::size_t kPlans = 1024;

std::size_t hash(const Counts& counts) {
  const auto observed = std::bit_cast<std::uint64_t>(counts.observed);
  return subkey(observed, std::bit_cast<std::uint64_t>(counts.attracted)) % kPlans;
}

}  // namespace

TailItems::TailItems(std::size_t items, bool optimistic)
    : optimistic_(optimistic), rates_(items), slots_(items, kNoSlot) {
  frequent_.reserve(items);
  weights_.reserve(items);
}

void TailItems::build(double threshold, std::span<const Counts> counts) {
  tail_ = BetaTail(threshold);
  planned_.assign(kPlans, {});
  std::fill(slots_.begin(), slots_.end(), kNoSlot);
  frequent_.clear();
  weights_.clear();
  frequent_weight_ = 0;
  always_ = 0;
  rates_.set_all([&](std::size_t e) {
    const Plan p = plan(counts[e]);
    if (p.is_frequent) enter_frequent(static_cast<Item>(e), p.weight);
    return p.rate;
  });
}

void TailItems::change(Item e, const Counts& counts) {
  const Plan p = plan(counts);
  if (is_frequent(e)) leave_frequent(e);
  if (p.is_frequent) enter_frequent(e, p.weight);
  if (rates_[e] != p.rate) rates_.set(e, p.rate);
}

double TailItems::expected() const {
  return rates_.sum() + static_cast<double>(frequent_weight_) * 0x1p-32;
}

bool TailItems::next_arrivals(Arrivals& arrivals) const {
  arrivals.size = 0;
  while (arrivals.size < Arrivals::kRoom) {
    arrivals.time -= same_log(arrivals.rng.inside());
    if (arrivals.time >= rates_.sum()) break;
    arrivals.when[arrivals.size++] = arrivals.time;
  }
  rates_.find(std::span(arrivals.when).first(arrivals.size),
              std::span(arrivals.at).first(arrivals.size));
  return arrivals.size > 0;
}

TailItems::Plan TailItems::plan(const Counts& counts) {
  Planned& known = planned_[hash(counts)];
  if (known.counts != counts) known = {counts, make_plan(counts)};
  return known.plan;
}

TailItems::Plan TailItems::make_plan(const Counts& counts) const {
  if (optimistic_ && is_certain(counts)) return {};
  if (optimistic_ && counts.observed > 0 && mean(counts) >= threshold()) return {0, kAlways, true};
  const BetaShape shape = posterior_shape(counts);
  const double bound = tail_.bound(shape.a, shape.b);
  if (bound <= kFrequent) return {-same_log1p(-bound), 0, false};
  const double often = tail_.estimate(shape.a, shape.b);
  return {0, static_cast<std::uint64_t>(often * 0x1p32), true};
}

void TailItems::enter_frequent(Item e, std::uint64_t weight) {
  slots_[e] = static_cast<std::uint32_t>(frequent_.size());
  frequent_.push_back(e);
  weights_.push_back(weight);
  frequent_weight_ += weight;
  always_ += weight == kAlways ? 1 : 0;
}

void TailItems::leave_frequent(Item e) {
  const std::uint32_t slot = slots_[e];
  frequent_weight_ -= weights_[slot];
  always_ -= weights_[slot] == kAlways ? 1 : 0;
  slots_[frequent_.back()] = slot;
  frequent_[slot] = frequent_.back();
  weights_[slot] = weights_.back();
  frequent_.pop_back();
  weights_.pop_back();
  slots_[e] = kNoSlot;
}

}  // namespace dcmrank
