#include "dcmrank/em/identification.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/em/elimination.h"
#include "dcmrank/numeric/cholesky.h"

namespace dcmrank {
namespace {

// By how much a variance grows under half the prior where the log tells as much as the whole of it,
// and where it tells fifty times as much.
constexpr double kAsMuch = 4.0 / 3;
constexpr double kFiftyTimes = 102.0 / 101;
// Above what the variance would be if more were known: hardly.
constexpr double kHardly = 1.02;
// Of the diagonal: what makes a matrix definite whose directions may have no information.
constexpr double kDefinite = 1e-9;
// As many times the information that there is make a parameter as good as known.
constexpr double kKnown = 1e6;

enum class Told : std::uint8_t { kEnough, kLittle, kLessThanThePrior };

double information_of(const Prior& prior) {
  const bool proper = prior.successes > 0 && prior.failures > 0;
  const double a = proper ? prior.successes : 1;
  const double b = proper ? prior.failures : 1;
  return (a + b) * (a + b) * (a + b + 1) / (a * b);
}

// Where EM ended, but away from 0 and 1: half a success and half a failure more. A direction in
// which nothing changes that is seen is one everywhere.
std::vector<double> inside(const EmModel& model, const EmResult& result) {
  constexpr double kLeast = 1e-9;
  std::vector<double> p = result.parameters;
  const std::size_t own = p.size() - model.fixed.size();
  for (std::size_t n = 0; n < p.size(); ++n) {
    const bool fixed = n >= own && model.fixed[n - own] != 0;
    p[n] = fixed ? std::clamp(p[n], kLeast, 1 - kLeast) : estimate(result.expected[n], {0.5, 0.5});
  }
  return p;
}

// The expected information of a query. `place` says where a shared parameter is among the `free`.
QueryInformation expected_information(const EmModel& model, std::size_t query, const EmView& view,
                                      std::span<const std::size_t> place, std::size_t free) {
  const std::size_t n = view.own.size();
  const bool dense = static_cast<bool>(model.of_tail);
  QueryInformation result{std::vector<double>(dense ? n * n : n), std::vector<double>(n * free),
                          std::vector<double>(free * free)};
  model.outcomes(query, view, [&](double times, auto own, auto shared) {
    for (const Slope& a : own) {
      for (const Slope& b : own) {
        result.own[dense ? a.parameter * n + b.parameter : a.parameter] += times * a.by * b.by;
      }
      for (const Slope& b : shared) {
        const std::size_t s = place[b.parameter];
        if (s < free) result.both[a.parameter * free + s] += times * a.by * b.by;
      }
    }
    for (const Slope& a : shared) {
      for (const Slope& b : shared) {
        const std::size_t s = place[a.parameter];
        const std::size_t t = place[b.parameter];
        if (s < free && t < free) result.shared[s * free + t] += times * a.by * b.by;
      }
    }
  });
  for (std::size_t i = 0; i < n; ++i) {
    double& diagonal = result.own[dense ? i * n + i : i];
    diagonal = diagonal > 0 ? diagonal * (1 + kDefinite) : 1;  // where nothing depends on it
  }
  return result;
}

class Identification {
 public:
  Identification(const Sample& sample, const EmModel& model, const EmResult& result,
                 const FitOptions& options)
      : sample_(&sample), model_(&model), options_(&options), p_(inside(model, result)) {
    begin_.assign(1, 0);
    for (const std::size_t own : model.own) begin_.push_back(begin_.back() + own);
    for (std::size_t s = 0; s < model.fixed.size(); ++s) {
      place_.push_back(model.fixed[s] == 0 ? free_.size() : SIZE_MAX);
      if (model.fixed[s] == 0) free_.push_back(s);
    }
  }

  // Of the parameters of the queries in turn, then of the shared ones.
  std::vector<Told> told() {
    std::vector<Told> result(p_.size(), Told::kEnough);
    if (!can_tell()) return result;
    const std::size_t free = free_.size();
    slopes_.assign(begin_.back() * free, 0);
    variances_.assign(begin_.back(), 0);
    together_.assign(free * free, 0);
    for (std::size_t q = 0; q < model_->own.size(); q += kQueriesOfABlock) add_block(q);
    const double prior = information_of(options_->prior);
    std::vector<double> known(free, prior);
    const auto whole = variances_under(known);
    const auto half = variances_under(std::vector(free, prior / 2));
    if (whole.empty() || half.empty()) return result;
    for (std::size_t s = 0; s < free; ++s) {
      const std::size_t n = begin_.back() + s;
      if (half[n] > kAsMuch * whole[n]) known[s] = kKnown * (prior + together_[s * (free + 1)]);
    }
    const auto least = variances_under(known);
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const bool own = n < begin_.back();
      const bool vague =
          half[n] > kFiftyTimes * whole[n] || (!least.empty() && whole[n] > kHardly * least[n]);
      Told& told = result[own ? n : begin_.back() + free_[n - begin_.back()]];
      if (vague) told = Told::kLittle;
      if (half[n] > kAsMuch * whole[n]) told = Told::kLessThanThePrior;
    }
    return result;
  }

 private:
  bool can_tell() const {
    const bool tails = static_cast<bool>(model_->of_tail);
    return !free_.empty() && free_.size() <= kMostParameters &&
           begin_.back() * free_.size() <= kMostNumbers &&
           (!tails || (sample_->tails.in_memory() &&
                       std::all_of(model_->own.begin(), model_->own.end(),
                                   [](std::size_t own) { return own <= kMostParameters; })));
  }

  // Queries of a block in any order, their sums in order.
  void add_block(std::size_t first) {
    std::vector<Eliminated> block(std::min(kQueriesOfABlock, model_->own.size() - first));
    parallel_for(block.size(), options_->threads, [&](std::size_t n) {
      if (options_->stop.stop_requested()) throw Interrupted();
      const std::size_t size = model_->own[first + n];
      const EmView view{std::span<const double>(p_).subspan(begin_[first + n], size),
                        std::span<const double>(p_).subspan(begin_.back()),
                        {},
                        {}};
      block[n] = eliminate(expected_information(*model_, first + n, view, place_, free_.size()),
                           size, free_.size());
    });
    for (std::size_t n = 0; n < block.size(); ++n) keep(block[n], begin_[first + n]);
  }

  // Of the own parameters, then of the free shared ones, if these have priors of such information;
  // none if there is no telling.
  std::vector<double> variances_under(const std::vector<double>& prior) const {
    const std::size_t free = free_.size();
    std::vector<double> together = together_;
    for (std::size_t s = 0; s < free; ++s) together[s * free + s] += prior[s];
    const auto factor = Cholesky::of(std::move(together), free);
    if (!factor) return {};
    std::vector<double> result = variances_;
    add_shared_variance(*factor, free, slopes_, result);
    const auto shared = factor->inverse_diagonal();
    result.insert(result.end(), shared.begin(), shared.end());
    return result;
  }

  void keep(const Eliminated& query, std::size_t begin) {
    const auto at = static_cast<std::ptrdiff_t>(begin);
    const auto free = static_cast<std::ptrdiff_t>(free_.size());
    std::copy(query.variance.begin(), query.variance.end(), variances_.begin() + at);
    std::copy(query.slope.begin(), query.slope.end(), slopes_.begin() + at * free);
    for (std::size_t s = 0; s < together_.size(); ++s) together_[s] += query.shared[s];
  }

  const Sample* sample_;
  const EmModel* model_;
  const FitOptions* options_;
  std::vector<double> p_;
  std::vector<std::size_t> begin_;  // of the parameters of each query
  std::vector<std::size_t> free_;   // shared parameters that are estimated
  std::vector<std::size_t> place_;  // of a shared parameter among these, if it is
  std::vector<double> variances_;   // of the own parameters, were the shared ones known
  std::vector<double> slopes_;      // how they follow the shared ones
  std::vector<double> together_;    // the information of the shared ones
};

void add_name(const std::string& name, std::size_t place, std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  names.insert(names.begin() + static_cast<std::ptrdiff_t>(std::min(place, names.size())), name);
}

}  // namespace

std::vector<std::uint8_t> mark_unidentified(const Sample& sample, const EmModel& model,
                                            const EmResult& result, const FitOptions& options,
                                            const ParameterNames& names, FittedModel& fitted) {
  if (!options.intervals || !model.outcomes) return {};
  const auto told = Identification(sample, model, result, options).told();
  std::size_t at = 0;
  for (FittedQuery& query : fitted.queries) {
    for (std::size_t name = 0; name <= names.own.size(); ++name) {
      for (FittedItem& item : query.items) {
        if (told[at++] != Told::kLessThanThePrior) continue;
        add_name(name == 0 ? "attraction" : names.own[name - 1], name, item.unidentified);
      }
    }
  }
  std::vector<std::uint8_t> enough(at);
  for (std::size_t n = 0; n < at; ++n) enough[n] = told[n] == Told::kEnough ? 1 : 0;
  std::vector<std::size_t>& entries = fitted.lists[names.list].unidentified;
  for (std::size_t n = 1; at < told.size(); ++n, ++at) {
    const bool marked = std::find(entries.begin(), entries.end(), n) != entries.end();
    if (told[at] == Told::kLessThanThePrior && !marked) entries.push_back(n);
  }
  std::sort(entries.begin(), entries.end());
  return enough;
}

}  // namespace dcmrank
