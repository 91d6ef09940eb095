#include "dcmrank/em/information.h"

#include <algorithm>
#include <cmath>

#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/em/elimination.h"
#include "dcmrank/em/query_information.h"
#include "dcmrank/numeric/cholesky.h"

namespace dcmrank {
namespace {

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
                   const FitOptions& options, FittedModel& fitted,
                   std::span<const std::uint8_t> told) {
  if (!options.intervals || !result.trace.converged) return;
  auto variances = own_variances(sample, model, result, options);
  for (std::size_t n = 0; n < told.size(); ++n) {
    if (told[n] == 0) variances[n] = kNoVariance;
  }
  std::size_t begin = 0;
  for (std::size_t q = 0; q < fitted.queries.size(); ++q) {
    store_intervals(std::span(variances).subspan(begin, model.own[q]), options.prior,
                    fitted.queries[q].items);
    begin += model.own[q];
  }
}

}  // namespace dcmrank
