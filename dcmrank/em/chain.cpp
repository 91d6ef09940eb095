#include "dcmrank/em/chain.h"

#include <utility>

namespace dcmrank {
namespace {

// The slopes of the chance that none of several outcomes comes, from those of each.
class NoneOf {
 public:
  void add(double chance, std::span<const Slope> slopes) {
    for (std::size_t n = 0; n < slopes.size(); ++n) {
      if (n == slopes_.size()) slopes_.push_back({slopes[n].parameter, 0});
      slopes_[n].by -= chance * slopes[n].by;
    }
  }
  // Of its logarithm.
  std::vector<Slope> slopes(double chance) && {
    for (Slope& slope : slopes_) slope.by /= chance;
    return std::move(slopes_);
  }

 private:
  std::vector<Slope> slopes_;
};

}  // namespace

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

void visit_outcomes(const Tail& tail, std::size_t begin, std::span<const double> w, double on,
                    const ChainStart& start, const OutcomeVisitor& visit) {
  const double none =
      (1 - start.reached) + start.reached * SkippedChain(tail, begin, w, on).nothing();
  const double users = tail.impressions / none;
  std::vector<Slope> own = start.own;
  std::vector<Slope> shared = start.shared;
  NoneOf none_own;
  NoneOf none_shared;
  double examined = start.reached;
  for (const std::uint32_t shown : tail.items) {
    const auto item = static_cast<std::uint32_t>(shown - begin);
    const double clicked = examined * w[item];
    own.push_back({item, 1 / w[item]});
    visit(users * clicked, own, shared);
    none_own.add(clicked, own);
    none_shared.add(clicked, shared);
    own.back().by = -1 / (1 - w[item]);
    shared.front().by += 1 / on;
    examined *= (1 - w[item]) * on;
  }
  visit(users * none, std::move(none_own).slopes(none), std::move(none_shared).slopes(none));
}

}  // namespace dcmrank
