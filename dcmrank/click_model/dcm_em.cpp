#include "dcmrank/click_model/dcm_em.h"

#include <algorithm>
#include <utility>

#include "dcmrank/em/em.h"
#include "dcmrank/em/information.h"
#include "dcmrank/model/stop_probability.h"

namespace dcmrank {
namespace {

// The parameters of a query: its attractions, then its terminations where they are its own.
class DcmExpectation {
 public:
  DcmExpectation(const Sample& sample, bool shared) : sample_(&sample), shared_(shared) {}

  double of_counts(std::size_t q, const EmView& view) const {
    const SampleQuery& query = sample_->queries[q];
    double sum = 0;
    for (std::size_t i = query.begin; i < query.end; ++i) {
      const Counts& certain = sample_->items[i].counts.prefix;
      sum += expect_trials(certain, view.own[i - query.begin], view.own_counts[i - query.begin]);
    }
    return sum + of_clicks(q, view);
  }

  double of_tail(const Tail& tail, const EmView& view) const {
    if (tail.last == Tail::kNone) return 0;  // all was examined, and is counted
    const std::size_t begin = sample_->queries[tail.query].begin;
    double skipped = 1;
    for (const std::uint32_t i : tail.items) skipped *= 1 - view.own[i - begin];
    const double v = terminations(tail.query, view)[tail.last];
    const double stopped = stop_probability(v, skipped);
    termination_counts(tail.query, view)[tail.last].attracted += stopped * tail.impressions;
    for (const std::uint32_t i : tail.items) {
      view.own_counts[i - begin].observed += (1 - stopped) * tail.impressions;
    }
    return weighted_log(tail.impressions, last_click_probability(v, skipped));
  }

  void touched(const Tail& tail, std::vector<std::uint32_t>& own) const {
    if (tail.last == Tail::kNone) return;
    const std::size_t begin = sample_->queries[tail.query].begin;
    for (const std::uint32_t i : tail.items) own.push_back(static_cast<std::uint32_t>(i - begin));
    if (!shared_) own.push_back(static_cast<std::uint32_t>(items(tail.query) + tail.last));
  }

 private:
  std::size_t items(std::size_t q) const {
    return sample_->queries[q].end - sample_->queries[q].begin;
  }
  std::span<const double> terminations(std::size_t q, const EmView& view) const {
    return shared_ ? view.shared : view.own.subspan(items(q));
  }
  std::span<Counts> termination_counts(std::size_t q, const EmView& view) const {
    return shared_ ? view.shared_counts : view.own_counts.subspan(items(q));
  }

  // A click that is not the last did not stop; whether a last one did is not certain, and on the
  // last item shown it is unknowable, so it is left out.
  double of_clicks(std::size_t q, const EmView& view) const {
    const auto& counts = sample_->queries[q].counts.positions;
    const auto v = terminations(q, view);
    const auto stops = termination_counts(q, view);
    double sum = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      stops[k].observed += counts[k].clicked - counts[k].end;
      sum += weighted_log(counts[k].clicked - counts[k].last, 1 - v[k]);
    }
    return sum;
  }

  const Sample* sample_;
  bool shared_;
};

// Inside (0, 1), where no likelihood is zero.
EmModel dcm_em_model(const Sample& sample, const FitOptions& options) {
  const Prior inside{options.prior.successes + 0.5, options.prior.failures + 0.5};
  EmModel model;
  for (const SampleQuery& query : sample.queries) {
    for (std::size_t i = query.begin; i < query.end; ++i) {
      model.start.push_back(estimate(sample.items[i].counts.prefix, inside));
    }
    const std::size_t stops = options.shared ? 0 : query.counts.positions.size();
    model.start.insert(model.start.end(), stops, 0.5);
    model.own.push_back(query.end - query.begin + stops);
  }
  if (options.shared) {
    model.fixed.assign(sample.positions, 0);
    model.start.insert(model.start.end(), sample.positions, 0.5);
  }
  expect_by(std::make_shared<const DcmExpectation>(sample, options.shared), model);
  return model;
}

// The terminations that begin at `from`, where the list is there.
void store_termination(const EmResult& result, std::size_t from, FittedLists& lists) {
  const auto list = lists.find(kTermination);
  if (list == lists.end()) return;
  std::copy_n(result.parameters.begin() + static_cast<std::ptrdiff_t>(from),
              list->second.values.size(), list->second.values.begin());
}

}  // namespace

void improve_by_em(const Sample& sample, const FitOptions& options, FittedModel& fitted) {
  const EmModel model = dcm_em_model(sample, options);
  EmResult result = run_em(sample, model, options);
  std::size_t begin = 0;
  for (std::size_t q = 0; q < model.own.size(); ++q) {
    auto& items = fitted.queries[q].items;
    store_attraction(result, begin, items);
    store_termination(result, begin + items.size(), fitted.queries[q].lists);
    begin += model.own[q];
  }
  store_termination(result, begin, fitted.lists);
  add_intervals(sample, model, result, options, fitted);
  fitted.em = std::move(result.trace);
}

}  // namespace dcmrank
