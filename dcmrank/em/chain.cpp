#include "dcmrank/em/chain.h"

namespace dcmrank {

ChainCounts chain_counts(const Sample& sample) {
  ChainCounts counts;
  for (const SampleItem& item : sample.items) {
    counts.examined.push_back(item.counts.prefix);
    counts.went_on.push_back(item.counts.prefix.attracted - item.counts.last);
  }
  for (const SampleQuery& query : sample.queries) {
    double passed = 0;
    for (std::size_t k = 0; k < query.counts.positions.size(); ++k) {
      passed += static_cast<double>(k) * query.counts.positions[k].last;
    }
    counts.passed.push_back(passed);
  }
  counts.may_have.resize(sample.items.size());
  sample.tails([&](const Tail& tail) {
    if (tail.last != Tail::kNone) {
      counts.may_have[tail.clicked] += tail.impressions;
    } else {  // a page without a click counts as examined as a whole, which is not certain here
      for (const std::uint32_t i : tail.items) counts.examined[i].observed -= tail.impressions;
    }
  });
  return counts;
}

Needs needs_chains(const FitOptions& options) {
  Needs needs;
  needs.chains = options.method == Method::kEm;
  return needs;
}

SkippedChain::SkippedChain(const Tail& tail, std::size_t begin, std::span<const double> w,
                           double on)
    : tail_(&tail), begin_(begin), on_(on) {  // NOLINT(*-member-init): filled below
  double below = 1;                           // nothing is clicked there
  for (std::size_t n = tail.items.size(); n-- > 0;) {
    const bool ends = n + 1 == tail.items.size();
    nothing_[n] = (1 - w[tail.items[n] - begin]) * (ends ? 1 : (1 - on) + on * below);
    below = nothing_[n];
  }
}

void SkippedChain::expect(double reached, std::span<Counts> items, Counts& on) const {
  for (std::size_t n = 0; n < tail_->items.size(); ++n) {
    items[tail_->items[n] - begin_].observed += reached;
    if (n + 1 == tail_->items.size()) break;
    const double goes_on = on_ * nothing_[n + 1];
    const double either = (1 - on_) + goes_on;
    on.observed += reached;
    reached *= either > 0 ? goes_on / either : 0;
    on.attracted += reached;
  }
}

}  // namespace dcmrank
