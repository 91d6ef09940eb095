#include "dcmrank/em/information.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/em/query_information.h"
#include "dcmrank/numeric/cholesky.h"

namespace dcmrank {
namespace {

constexpr double kNoVariance = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostParameters =
    1000;  // of a query, or shared, where they depend on each other
constexpr std::size_t kMostNumbers = 50'000'000;  // that are held
constexpr std::size_t kQueriesOfABlock = 256;

// What is left of a query once its information is eliminated.
struct Eliminated {
  std::vector<double> variance;  // diagonal of A^-1
  std::vector<double> slope;     // A^-1 B, by rows
  std::vector<double> shared;    // C - B' A^-1 B
};

void eliminate_diagonal(const QueryInformation& information, std::size_t free, Eliminated& result) {
  const std::size_t n = information.own.size();
  for (std::size_t i = 0; i < n; ++i) {
    result.variance[i] = information.own[i] > 0 ? 1 / information.own[i] : kNoVariance;
    for (std::size_t s = 0; s < free && information.own[i] > 0; ++s) {
      result.slope[i * free + s] = information.both[i * free + s] / information.own[i];
    }
  }
}

void eliminate_dense(const QueryInformation& information, std::size_t n, std::size_t free,
                     Eliminated& result) {
  const auto factor = Cholesky::of(information.own, n);
  if (!factor) return;
  result.variance = factor->inverse_diagonal();
  std::vector<double> column(n);
  for (std::size_t s = 0; s < free; ++s) {
    for (std::size_t i = 0; i < n; ++i) column[i] = information.both[i * free + s];
    factor->solve(column);
    for (std::size_t i = 0; i < n; ++i) result.slope[i * free + s] = column[i];
  }
}

Eliminated eliminate(const QueryInformation& information, std::size_t n, std::size_t free) {
  Eliminated result{std::vector<double>(n, kNoVariance), std::vector<double>(n * free, 0),
                    information.shared};
  if (information.own.size() == n) {
    eliminate_diagonal(information, free, result);
  } else {
    eliminate_dense(information, n, free, result);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < free; ++s) {
      const double both = information.both[i * free + s];
      if (both == 0) continue;
      for (std::size_t t = 0; t < free; ++t) {
        result.shared[s * free + t] -= both * result.slope[i * free + t];
      }
    }
  }
  return result;
}

// Adds to the variances that the shared parameters are estimates too.
void add_shared_variance(const Cholesky& shared, std::size_t free,
                         const std::vector<double>& slopes, std::vector<double>& variances) {
  std::vector<double> row(free);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const auto slope = std::span(slopes).subspan(i * free, free);
    row.assign(slope.begin(), slope.end());
    shared.solve(row);
    for (std::size_t s = 0; s < free; ++s) variances[i] += slope[s] * row[s];
  }
}

// The variances of all queries, block by block.
class Variances {
 public:
  Variances(const Sample& sample, const EmModel& model, const EmResult& result,
            const FitOptions& options)
      : sample_(&sample), model_(&model), result_(&result), options_(&options) {
    begin_.assign(1, 0);
    for (const std::size_t own : model.own) begin_.push_back(begin_.back() + own);
    for (std::size_t s = 0; s < model.fixed.size(); ++s) {
      if (model.fixed[s] == 0 && is_inside(shared()[s])) free_.push_back(s);
    }
    variances_.assign(begin_.back(), kNoVariance);
  }

  std::vector<double> all() {
    const bool reread = model_->of_tail && !sample_->tails.in_memory();
    if (reread || free_.size() > kMostParameters || begin_.back() * free_.size() > kMostNumbers) {
      return variances_;
    }
    slopes_.assign(begin_.back() * free_.size(), 0);
    add_prior();
    for (std::size_t q = 0; q < model_->own.size(); q += kQueriesOfABlock) add_block(q);
    if (free_.empty()) return variances_;
    // What neither the log nor the prior says anything of has no influence.
    for (std::size_t s = 0; s < together_.size(); s += free_.size() + 1) {
      if (together_[s] == 0) together_[s] = 1;
    }
    const auto factor = Cholesky::of(together_, free_.size());
    if (!factor) {
      std::fill(variances_.begin(), variances_.end(), kNoVariance);
      return variances_;
    }
    add_shared_variance(*factor, free_.size(), slopes_, variances_);
    return variances_;
  }

 private:
  std::span<const double> shared() const {
    return std::span(result_->parameters).subspan(begin_.back());
  }

  void add_prior() {
    together_.assign(free_.size() * free_.size(), 0);
    for (std::size_t s = 0; s < free_.size(); ++s) {
      together_[s * free_.size() + s] = prior_information(options_->prior, shared()[free_[s]]);
    }
  }

  // Queries of a block in any order, their sums in order.
  void add_block(std::size_t first) {
    std::vector<Eliminated> block(std::min(kQueriesOfABlock, model_->own.size() - first));
    parallel_for(block.size(), options_->threads, [&](std::size_t n) {
      if (options_->stop.stop_requested()) throw Interrupted();
      const std::size_t size = model_->own[first + n];
      if (model_->of_tail && size > kMostParameters) return;
      const auto p = std::span(result_->parameters).subspan(begin_[first + n], size);
      block[n] = eliminate(
          query_information(*sample_, *model_, first + n, {p, shared(), free_}, options_->prior),
          size, free_.size());
    });
    for (std::size_t n = 0; n < block.size(); ++n) {
      if (!block[n].variance.empty()) keep(block[n], begin_[first + n]);
    }
  }

  void keep(const Eliminated& query, std::size_t begin) {
    std::copy(query.variance.begin(), query.variance.end(),
              variances_.begin() + static_cast<std::ptrdiff_t>(begin));
    std::copy(query.slope.begin(), query.slope.end(),
              slopes_.begin() + static_cast<std::ptrdiff_t>(begin * free_.size()));
    for (std::size_t s = 0; s < together_.size(); ++s) together_[s] += query.shared[s];
  }

  const Sample* sample_;
  const EmModel* model_;
  const EmResult* result_;
  const FitOptions* options_;
  std::vector<std::size_t> begin_;  // of the parameters of each query
  std::vector<std::size_t> free_;   // shared parameters that are estimated
  std::vector<double> variances_;
  std::vector<double> slopes_;    // how the own parameters follow the shared ones
  std::vector<double> together_;  // the information of the shared ones
};

bool attraction_is_known(const FittedItem& item) {
  const auto& unknown = item.unidentified;
  return std::find(unknown.begin(), unknown.end(), "attraction") == unknown.end();
}

void store_intervals(std::span<const double> variances, const Prior& prior,
                     std::vector<FittedItem>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double w = items[i].attraction;
    if (!(variances[i] > 0) || !is_inside(w) || !attraction_is_known(items[i])) continue;
    const double trials = w * (1 - w) / variances[i];  // the prior's among them
    const double own = std::max(0.0, trials - prior.successes - prior.failures);
    items[i].interval = wilson_interval({own, std::clamp(w * trials - prior.successes, 0.0, own)});
  }
}

}  // namespace

std::vector<double> own_variances(const Sample& sample, const EmModel& model,
                                  const EmResult& result, const FitOptions& options) {
  return Variances(sample, model, result, options).all();
}

void add_intervals(const Sample& sample, const EmModel& model, const EmResult& result,
                   const FitOptions& options, FittedModel& fitted) {
  if (!options.intervals || !result.trace.converged) return;
  const auto variances = own_variances(sample, model, result, options);
  std::size_t begin = 0;
  for (std::size_t q = 0; q < fitted.queries.size(); ++q) {
    store_intervals(std::span(variances).subspan(begin, model.own[q]), options.prior,
                    fitted.queries[q].items);
    begin += model.own[q];
  }
}

}  // namespace dcmrank
