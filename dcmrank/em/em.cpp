#include "dcmrank/em/em.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/numeric/elementary.h"

namespace dcmrank {
namespace {

constexpr double kLeastNormal = 1e-300;
// Below 1, where a skip would have no explanation left.
constexpr double kMostChance = 1 - 1e-12;
// Queries whose shared counts are held at a time.
constexpr std::size_t kQueriesAtOnce = 4096;

constexpr unsigned kMostThreads = 1024;

enum class Phase : std::uint8_t {
  kFirst,   // at a point that EM's first step starts from
  kSecond,  // after that step
  kLeap,    // at a point beyond, which may be worse
  kDone,
};

// Parameters that depend on each other: those of a query, or all.
struct Group {
  std::size_t first_query = 0;
  std::size_t end_query = 0;
  double impressions = 0;
  Phase phase = Phase::kFirst;
  double objective = 0;  // the highest so far
  double log_likelihood = 0;
  double longest = 4;  // leap that may be tried
  double leap = 1;
};

// Others may have filled it in wrongly.
void check(const EmModel& model) {
  const auto refuse = [](const std::string& why) {
    throw InputError("the EmModel of the click model: " + why);
  };
  const std::size_t own = std::accumulate(model.own.begin(), model.own.end(), std::size_t{0});
  if (model.start.size() != own + model.fixed.size()) {
    refuse(
        fmt::format("`start` has {} values for {} parameters of the queries and {} shared ones "
                    "(as many as `fixed` has)",
                    model.start.size(), own, model.fixed.size()));
  }
  for (std::size_t n = 0; n < model.start.size(); ++n) {
    const bool moves = n < own || model.fixed[n - own] == 0;
    if (moves && !(model.start[n] > 0 && model.start[n] < 1)) {
      refuse(fmt::format("start[{}] is {}, not between 0 and 1", n, model.start[n]));
    }
  }
  if (!model.of_counts) refuse("it has no `of_counts`");
}

class EmRun {
 public:
  EmRun(const Sample& sample, const EmModel& model, const FitOptions& options)
      : sample_(&sample), model_(&model), options_(&options), shared_(model.fixed.size()) {
    coupled_ = std::count(model.fixed.begin(), model.fixed.end(), 0) > 0;
    const std::size_t queries = model.own.size();
    begin_.assign(1, 0);
    for (const std::size_t own : model.own) begin_.push_back(begin_.back() + own);
    p_ = p0_ = p1_ = p2_ = model.start;
    counts_.resize(p_.size());
    likelihood_.resize(queries);
    make_groups(queries);
    if (rows() >= options.rows_for_threads) threads_ = std::min(options.threads, kMostThreads);
  }

  EmResult run() {
    EmTrace trace;
    trace.tolerance = options_->tolerance;
    evaluate();
    for (Group& group : groups_) {
      group.log_likelihood = log_likelihood(group);
      group.objective = group.log_likelihood + log_prior(group);
    }
    record(trace);
    while (!all_done() && trace.iterations() < options_->max_iterations) {
      if (options_->stop.stop_requested()) throw Interrupted();
      for (Group& group : groups_) move(group);
      evaluate();
      for (Group& group : groups_) judge(group);
      record(trace);
    }
    trace.converged = all_done();
    if (!trace.converged) return_to_best();
    return {std::move(p_), std::move(counts_), std::move(trace)};
  }

 private:
  // What an E-step goes through.
  std::size_t rows() const {
    std::size_t sum = sample_->tails.size();
    for (const SampleItem& item : sample_->items) sum += 1 + item.contexts.size();
    return sum;
  }

  void make_groups(std::size_t queries) {
    for (std::size_t q = 0; q < queries; ++q) {
      if (q == 0 || !coupled_) groups_.push_back({q, q, 0, Phase::kFirst, 0, 0, 4, 1});
      groups_.back().end_query = q + 1;
      groups_.back().impressions += sample_->queries[q].counts.impressions;
    }
  }

  bool all_done() const {
    return std::all_of(groups_.begin(), groups_.end(),
                       [](const Group& group) { return group.phase == Phase::kDone; });
  }

  bool is_done(std::size_t query) const {
    return groups_[coupled_ ? 0 : query].phase == Phase::kDone;
  }

  std::size_t own_end() const { return begin_.back(); }

  EmView view(std::size_t query, std::span<Counts> shared_counts) {
    return {std::span<const double>(p_).subspan(begin_[query], model_->own[query]),
            std::span<const double>(p_).subspan(own_end()),
            std::span<Counts>(counts_).subspan(begin_[query], model_->own[query]), shared_counts};
  }

  // The E-step at p_ of all queries that are not done.
  void evaluate() {
    std::fill_n(counts_.begin() + static_cast<std::ptrdiff_t>(own_end()), shared_, Counts{});
    const bool reread = model_->of_tail && !sample_->tails.in_memory();
    const std::size_t queries = model_->own.size();
    const std::size_t at_once = reread || shared_ == 0 ? queries : kQueriesAtOnce;
    for (std::size_t first = 0; first < queries; first += at_once) {
      const std::size_t size = std::min(at_once, queries - first);
      shared_counts_.assign(size * shared_, {});
      parallel_for(size, threads_, [&](std::size_t n) {
        if (!is_done(first + n)) evaluate_query(first + n, shared_counts(n), !reread);
      });
      if (reread) read_tails();
      add_shared(size);
    }
  }

  std::span<Counts> shared_counts(std::size_t n) {
    return std::span<Counts>(shared_counts_).subspan(n * shared_, shared_);
  }

  void evaluate_query(std::size_t query, std::span<Counts> shared, bool tails) {
    const EmView at = view(query, shared);
    std::fill(at.own_counts.begin(), at.own_counts.end(), Counts{});
    double sum = model_->of_counts(query, at);
    if (tails && model_->of_tail) {
      sample_->tails.of_query(query, [&](const Tail& tail) { sum += model_->of_tail(tail, at); });
    }
    likelihood_[query] = sum;
  }

  void read_tails() {
    sample_->tails([&](const Tail& tail) {
      if (is_done(tail.query)) return;
      likelihood_[tail.query] += model_->of_tail(tail, view(tail.query, shared_counts(tail.query)));
    });
  }

  void add_shared(std::size_t queries) {
    for (std::size_t n = 0; n < queries; ++n) {
      const auto counts = shared_counts(n);
      for (std::size_t s = 0; s < shared_; ++s) counts_[own_end() + s].merge(counts[s]);
    }
  }

  double log_likelihood(const Group& group) const {
    double sum = 0;
    for (std::size_t q = group.first_query; q < group.end_query; ++q) sum += likelihood_[q];
    return sum;
  }

  // Calls term(n) for every parameter that is free; sums within queries first.
  template <class Term>
  double sum_over(const Group& group, Term term) const {
    double sum = 0;
    for (std::size_t q = group.first_query; q < group.end_query; ++q) {
      double of_query = 0;
      for (std::size_t n = begin_[q]; n < begin_[q + 1]; ++n) of_query += term(n);
      sum += of_query;
    }
    for (std::size_t s = 0; s < shared_; ++s) {
      if (model_->fixed[s] == 0) sum += term(own_end() + s);
    }
    return sum;
  }

  double log_prior(const Group& group) const {
    const Prior& prior = options_->prior;
    if (prior.successes == 0 && prior.failures == 0) return 0;
    // One that cannot be seen beside a likelihood, but with an estimate that is 0 would be
    // infinite.
    constexpr double kUnseen = 1e-200;
    const auto term = [](double weight, double p) {
      return weight < kUnseen ? 0 : weighted_log(weight, p);
    };
    return sum_over(group, [&](std::size_t n) {
      return term(prior.successes, p_[n]) + term(prior.failures, 1 - p_[n]);
    });
  }

  // Calls set(n) for every parameter that is free.
  template <class Set>
  void for_each(const Group& group, Set set) const {
    for (std::size_t n = begin_[group.first_query]; n < begin_[group.end_query]; ++n) set(n);
    for (std::size_t s = 0; s < shared_; ++s) {
      if (model_->fixed[s] == 0) set(own_end() + s);
    }
  }

  double maximised(std::size_t n) const {
    return std::min(estimate(counts_[n], options_->prior), kMostChance);
  }

  // From a point that was evaluated to the next.
  void move(Group& group) {
    if (group.phase == Phase::kFirst) {
      for_each(group, [&](std::size_t n) {
        p0_[n] = p_[n];
        p1_[n] = p_[n] = maximised(n);
      });
      group.phase = Phase::kSecond;
    } else if (group.phase == Phase::kSecond) {
      for_each(group, [&](std::size_t n) {
        p2_[n] = maximised(n);
        p_[n] = leapt(n, group.leap);
      });
      group.phase = group.leap > 1 ? Phase::kLeap : Phase::kFirst;
    } else if (group.phase == Phase::kLeap) {  // which was worse
      for_each(group, [&](std::size_t n) { p_[n] = p2_[n]; });
      group.phase = Phase::kFirst;
    }
  }

  // Two steps of EM, extrapolated. What would be no probability goes half the way to the bound.
  double leapt(std::size_t n, double leap) const {
    const double step = p1_[n] - p0_[n];
    const double bend = (p2_[n] - p1_[n]) - step;
    const double p = p0_[n] + 2 * leap * step + leap * leap * bend;
    if (p <= 0) return p2_[n] / 2;
    return p >= 1 ? (1 + p2_[n]) / 2 : p;
  }

  // What to make of the point that was evaluated.
  void judge(Group& group) {
    if (group.phase == Phase::kDone) return;
    const double log_likelihood = this->log_likelihood(group);
    const double objective = log_likelihood + log_prior(group);
    const double gain = objective - group.objective;
    if (group.phase == Phase::kLeap) {
      if (!(gain >= 0)) {  // or not a number
        group.longest = std::max(1.0, group.leap / 2);
        return;
      }
      if (group.leap == group.longest) group.longest *= 4;
      group.phase = Phase::kFirst;
    }
    group.objective = objective;
    group.log_likelihood = log_likelihood;
    if (group.phase == Phase::kSecond) judge_step(group, gain);
  }

  // EM converges linearly: with steps that shrink by 1 - 1/leap, about leap times the gain is left.
  void judge_step(Group& group, double gain) {
    const double step = sum_over(group, [&](std::size_t n) { return square(p1_[n] - p0_[n]); });
    const double bend = sum_over(
        group, [&](std::size_t n) { return square(maximised(n) - p1_[n] - (p1_[n] - p0_[n])); });
    const double leap = bend > 0 ? std::sqrt(step / bend) : 1;
    group.leap = std::clamp(leap, 1.0, group.longest);
    if (std::max(gain, 0.0) * std::max(leap, 1.0) <= options_->tolerance * group.impressions) {
      group.phase = Phase::kDone;
    }
  }

  static double square(double x) { return x * x; }

  void record(EmTrace& trace) const {
    double log_likelihood = 0;
    double objective = 0;
    for (const Group& group : groups_) {
      log_likelihood += group.log_likelihood;
      objective += group.objective;
    }
    trace.log_likelihood.push_back(log_likelihood);
    trace.objective.push_back(objective);
  }

  void return_to_best() {
    for (const Group& group : groups_) {
      if (group.phase == Phase::kLeap) for_each(group, [&](std::size_t n) { p_[n] = p1_[n]; });
    }
    evaluate();
  }

  const Sample* sample_;
  const EmModel* model_;
  const FitOptions* options_;
  std::size_t shared_;
  unsigned threads_ = 1;
  bool coupled_ = false;            // by a shared parameter that is free
  std::vector<std::size_t> begin_;  // of the parameters of each query
  std::vector<Group> groups_;
  std::vector<double> p_;  // where the E-step is made
  std::vector<double> p0_;
  std::vector<double> p1_;
  std::vector<double> p2_;
  std::vector<Counts> counts_;
  std::vector<double> likelihood_;     // by query
  std::vector<Counts> shared_counts_;  // by query
};

}  // namespace

double weighted_log(double x, double p) {
  if (x == 0) return 0;
  return p >= kLeastNormal ? x * same_log(p) : -std::numeric_limits<double>::infinity();
}

EmResult run_em(const Sample& sample, const EmModel& model, const FitOptions& options) {
  check(model);
  return EmRun(sample, model, options).run();
}

double expect_trials(const Counts& trials, double p, Counts& counts) {
  counts.merge(trials);
  return weighted_log(trials.attracted, p) +
         weighted_log(trials.observed - trials.attracted, 1 - p);
}

void store_attraction(const EmResult& result, std::size_t from, std::vector<FittedItem>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].attraction = result.parameters[from + i];
    items[i].shown = result.expected[from + i].observed;
  }
}

}  // namespace dcmrank
