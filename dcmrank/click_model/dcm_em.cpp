#include "dcmrank/click_model/dcm_em.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dcmrank/base/error.h"
#include "dcmrank/model/stop_probability.h"

namespace dcmrank {
namespace {

// x ln p, with 0 ln 0 = 0.
double weighted_log(double x, double p) { return x == 0 ? 0 : x * std::log(p); }

double log_density(const Counts& counts, double p) {
  return weighted_log(counts.attracted, p) +
         weighted_log(counts.observed - counts.attracted, 1 - p);
}

// The parameters and the counts that are certain, flat: items of all queries, then positions of
// all queries (of one, where termination is shared).
class Em {
 public:
  Em(const Sample& sample, const FitOptions& options)
      : sample_(&sample), options_(&options), positions_(sample.positions) {
    for (const SampleItem& item : sample.items) certain_items_.push_back(item.counts.prefix);
    const std::size_t groups = options.shared ? 1 : sample.queries.size();
    certain_stops_.resize(groups * positions_);
    for (std::size_t q = 0; q < sample.queries.size(); ++q) add_certain_stops(q);
    start();
  }

  // One iteration: the likelihood of the current parameters, then better ones.
  void step(EmTrace& trace) {
    items_ = certain_items_;
    stops_ = certain_stops_;
    double likelihood = certain_likelihood();
    sample_->tails([&](const Tail& tail) { likelihood += expect(tail); });
    trace.log_likelihood.push_back(likelihood);
    trace.objective.push_back(likelihood + log_prior());
  }

  void maximise() {
    for (std::size_t i = 0; i < w_.size(); ++i) w_[i] = estimate(items_[i], options_->prior);
    for (std::size_t k = 0; k < v_.size(); ++k) v_[k] = estimate(stops_[k], options_->prior);
  }

  void store(FittedModel& fitted) const;

 private:
  std::size_t stop_index(std::size_t query, std::size_t k) const {
    return (options_->shared ? 0 : query * positions_) + k;
  }

  // A click that is not the last did not stop; whether a last one did is not certain, and on the
  // last item shown it is unknowable, so it is left out.
  void add_certain_stops(std::size_t q) {
    const auto& counts = sample_->queries[q].counts.positions;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      certain_stops_[stop_index(q, k)].merge({counts[k].clicked - counts[k].end, 0});
    }
  }

  // Inside (0, 1), where no likelihood is zero.
  void start() {
    const Prior inside{options_->prior.successes + 0.5, options_->prior.failures + 0.5};
    for (const Counts& counts : certain_items_) w_.push_back(estimate(counts, inside));
    v_.assign(certain_stops_.size(), 0.5);
  }

  double certain_likelihood() const {
    double sum = 0;
    for (std::size_t i = 0; i < w_.size(); ++i) sum += log_density(certain_items_[i], w_[i]);
    for (std::size_t q = 0; q < sample_->queries.size(); ++q) {
      const auto& counts = sample_->queries[q].counts.positions;
      for (std::size_t k = 0; k < counts.size(); ++k) {
        sum += weighted_log(counts[k].clicked - counts[k].last, 1 - v_[stop_index(q, k)]);
      }
    }
    return sum;
  }

  double log_prior() const {
    const Counts prior{options_->prior.successes + options_->prior.failures,
                       options_->prior.successes};
    double sum = 0;
    for (const double w : w_) sum += log_density(prior, w);
    for (const double v : v_) sum += log_density(prior, v);
    return sum;
  }

  // Adds what a tail is expected to tell; returns its log-likelihood.
  double expect(const Tail& tail) {
    double skipped = 1;
    for (const std::uint32_t i : tail.items) skipped *= 1 - w_[i];
    const std::size_t s = stop_index(tail.query, tail.last);
    const double stopped = stop_probability(v_[s], skipped);
    stops_[s].attracted += stopped * tail.impressions;
    for (const std::uint32_t i : tail.items) {
      items_[i].observed += (1 - stopped) * tail.impressions;
    }
    return weighted_log(tail.impressions, last_click_probability(v_[s], skipped));
  }

  void store_termination(FittedLists& lists, std::size_t query) const {
    const auto list = lists.find(kTermination);
    if (list == lists.end()) return;
    auto& values = list->second.values;
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = v_[stop_index(query, k)];
  }

  const Sample* sample_;
  const FitOptions* options_;
  std::size_t positions_;
  std::vector<Counts> certain_items_;
  std::vector<Counts> certain_stops_;
  std::vector<double> w_;
  std::vector<double> v_;
  std::vector<Counts> items_;  // expected
  std::vector<Counts> stops_;
};

void Em::store(FittedModel& fitted) const {
  std::size_t i = 0;
  for (std::size_t q = 0; q < fitted.queries.size(); ++q) {
    for (FittedItem& item : fitted.queries[q].items) {
      item.attraction = w_[i];
      item.shown = items_[i].observed;
      ++i;
    }
    store_termination(fitted.queries[q].lists, q);
  }
  store_termination(fitted.lists, 0);
}

}  // namespace

void improve_by_em(const Sample& sample, const FitOptions& options, FittedModel& fitted) {
  double impressions = 0;
  for (const SampleQuery& query : sample.queries) impressions += query.counts.impressions;
  Em em(sample, options);
  EmTrace& trace = fitted.em;
  trace.tolerance = options.tolerance;
  em.step(trace);
  while (!trace.converged && trace.iterations() < options.max_iterations) {
    if (options.stop.stop_requested()) throw Interrupted();
    em.maximise();
    em.step(trace);
    const double gain = trace.objective.back() - trace.objective[trace.objective.size() - 2];
    trace.converged = gain <= options.tolerance * impressions;
  }
  em.store(fitted);
}

}  // namespace dcmrank
