#include "dcmrank/click_model/dbn_em.h"

#include <string_view>
#include <utility>

#include "dcmrank/em/chain.h"
#include "dcmrank/em/identification.h"
#include "dcmrank/em/information.h"
#include "dcmrank/fit/fit_attraction.h"

namespace dcmrank {
namespace {

// The parameters of a query: attractions, then satisfactions; shared: the chance of going on.
class DbnExpectation {
 public:
  explicit DbnExpectation(const Sample& sample) : sample_(&sample), counts_(chain_counts(sample)) {}

  // Who went on after a click was not satisfied.
  double of_counts(std::size_t q, const EmView& view) const {
    const SampleQuery& query = sample_->queries[q];
    const std::size_t items = query.end - query.begin;
    double sum = 0;
    for (std::size_t i = query.begin; i < query.end; ++i) {
      const std::size_t n = i - query.begin;
      sum += expect_trials(counts_.examined[i], view.own[n], view.own_counts[n]);
      sum +=
          expect_trials({counts_.went_on[i], 0}, view.own[items + n], view.own_counts[items + n]);
    }
    const double passed = counts_.passed[q];
    return sum + expect_trials({passed, passed}, view.shared[0], view.shared_counts[0]);
  }

  double of_tail(const Tail& tail, const EmView& view) const {
    const SampleQuery& query = sample_->queries[tail.query];
    const double on = view.shared[0];
    Counts& on_counts = view.shared_counts[0];
    const SkippedChain chain(tail, query.begin, view.own, on);
    if (tail.last == Tail::kNone) {
      chain.expect(tail.impressions, view.own_counts, on_counts);
      return weighted_log(tail.impressions, chain.nothing());
    }
    const std::size_t s = query.end - query.begin + tail.clicked - query.begin;
    const double unsatisfied = (1 - view.own[s]) * ((1 - on) + on * chain.nothing());
    const double seen = view.own[s] + unsatisfied;
    const double each = tail.impressions / seen;
    view.own_counts[s].merge({tail.impressions, each * view.own[s]});
    const double went_on = each * (1 - view.own[s]) * on * chain.nothing();
    on_counts.merge({each * unsatisfied, went_on});
    chain.expect(went_on, view.own_counts, on_counts);
    return weighted_log(tail.impressions, seen);
  }

  void outcomes(std::size_t q, const EmView& view, const OutcomeVisitor& visit) const {
    const std::size_t begin = sample_->queries[q].begin;
    const double on = view.shared[0];
    sample_->tails.of_query(q, [&](const Tail& tail) {
      ChainStart start;
      if (tail.last != Tail::kNone) {
        const std::size_t s = sample_->queries[q].end - begin + tail.clicked - begin;
        start = {(1 - view.own[s]) * on,
                 {{static_cast<std::uint32_t>(s), -1 / (1 - view.own[s])}},
                 {{0, 1 / on}}};
      }
      visit_outcomes(tail, begin, view.own, on, start, visit);
    });
  }

  void touched(const Tail& tail, std::vector<std::uint32_t>& own) const {
    const SampleQuery& query = sample_->queries[tail.query];
    for (const std::uint32_t i : tail.items) {
      own.push_back(static_cast<std::uint32_t>(i - query.begin));
    }
    if (tail.last == Tail::kNone) return;
    own.push_back(static_cast<std::uint32_t>(query.end - query.begin + tail.clicked - query.begin));
  }

 private:
  const Sample* sample_;
  ChainCounts counts_;
};

EmModel dbn_em_model(const FittedModel& counted, bool simplified) {
  EmModel model;
  for (const FittedQuery& query : counted.queries) {
    for (const FittedItem& item : query.items) {
      model.start.push_back(estimate({item.shown, item.clicked}, {0.5, 0.5}));
    }
    model.start.insert(model.start.end(), query.items.size(), 0.5);
    model.own.push_back(2 * query.items.size());
  }
  model.start.push_back(simplified ? 1 : 0.9);
  model.fixed = {simplified ? std::uint8_t{1} : std::uint8_t{0}};
  return model;
}

}  // namespace

FittedModel fit_dbn_by_em(const Sample& sample, const FitOptions& options,
                          const char* continuation) {
  const bool simplified = std::string_view(continuation).empty();
  FittedModel fitted =
      fit_attraction(sample, options.prior, [](const ItemCounts& counts) { return counts.prefix; });
  EmModel model = dbn_em_model(fitted, simplified);
  const auto expectation = std::make_shared<const DbnExpectation>(sample);
  expect_by(expectation, model);
  if (!simplified) model.outcomes = outcomes_by(expectation);
  EmResult result = run_em(sample, model, options);
  std::size_t begin = 0;
  for (FittedQuery& query : fitted.queries) {
    const std::size_t items = query.items.size();
    store_attraction(result, begin, query.items);
    for (std::size_t i = 0; i < items; ++i) {
      query.items[i].parameters = {result.parameters[begin + items + i]};
      // Whether a click satisfied shows only where something stands below it.
      if (result.expected[begin + items + i].observed == 0) {
        query.items[i].unidentified = {"satisfaction"};
      }
    }
    begin += 2 * items;
  }
  if (!simplified) {
    FittedList& list = fitted.lists[continuation];
    list.values = {result.parameters.back()};
    if (!(result.expected.back().observed > 0)) list.unidentified = {1};
  }
  const auto told =
      mark_unidentified(sample, model, result, options, {{"satisfaction"}, continuation}, fitted);
  add_intervals(sample, model, result, options, fitted, told);
  fitted.em = std::move(result.trace);
  return fitted;
}

}  // namespace dcmrank
