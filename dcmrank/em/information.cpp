#include "dcmrank/em/information.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/em/flat_directions.h"
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
    certainty_.variances.assign(begin_.back(), kNoVariance);
    certainty_.doubted.assign(begin_.back() + shared().size(), 0);
  }

  Certainty all() {
    const bool reread = model_->of_tail && !sample_->tails.in_memory();
    if (reread || free_.size() > kMostParameters || begin_.back() * free_.size() > kMostNumbers) {
      return certainty_;
    }
    slopes_.assign(begin_.back() * free_.size(), 0);
    add_shared_prior();
    FlatDirections flat(free_.size());
    bool whole = true;
    for (std::size_t q = 0; q < model_->own.size(); q += kQueriesOfABlock) {
      whole = add_block(q, flat) && whole;
    }
    if (whole) certainty_.doubted = flat.doubted(shared(), free_, options_->prior);
    if (free_.empty()) return certainty_;
    if (const auto factor = Cholesky::of(together_, free_.size())) {
      add_shared_variance(*factor, free_.size(), slopes_, certainty_.variances);
    } else {
      std::fill(certainty_.variances.begin(), certainty_.variances.end(), kNoVariance);
    }
    return certainty_;
  }

 private:
  std::span<const double> own(std::size_t q) const {
    return std::span(result_->parameters).subspan(begin_[q], model_->own[q]);
  }
  std::span<const double> shared() const {
    return std::span(result_->parameters).subspan(begin_.back());
  }

  void add_shared_prior() {
    together_.assign(free_.size() * free_.size(), 0);
    for (std::size_t s = 0; s < free_.size(); ++s) {
      together_[s * free_.size() + s] = prior_information(options_->prior, shared()[free_[s]]);
    }
  }

  struct OfQuery {
    QueryInformation information;
    Eliminated eliminated;
    FlatDirections::OfQuery flat;
  };

  // Nothing of queries with too many parameters.
  OfQuery of_query(std::size_t q) const {
    OfQuery result;
    if (model_->of_tail && model_->own[q] > kMostParameters) return result;
    const EmPoint point{own(q), shared(), free_};
    result.information = query_information(*sample_, *model_, q, point);
    result.flat = FlatDirections::of_query(result.information, point, options_->prior);
    add_prior(options_->prior, point.own, result.information);
    result.eliminated = eliminate(result.information, point.own.size(), free_.size());
    return result;
  }

  // Queries of a block in any order, their sums in order. Whether all were looked at.
  bool add_block(std::size_t first, FlatDirections& flat) {
    std::vector<OfQuery> block(std::min(kQueriesOfABlock, model_->own.size() - first));
    parallel_for(block.size(), options_->threads, [&](std::size_t n) {
      if (options_->stop.stop_requested()) throw Interrupted();
      block[n] = of_query(first + n);
    });
    bool whole = true;
    for (std::size_t n = 0; n < block.size(); ++n) {
      whole = whole && block[n].eliminated.variance.size() == model_->own[first + n];
      if (block[n].eliminated.variance.empty()) continue;
      keep(block[n].eliminated, begin_[first + n]);
      flat.keep(block[n].information, block[n].flat, own(first + n));
    }
    return whole;
  }

  void keep(const Eliminated& query, std::size_t begin) {
    std::copy(query.variance.begin(), query.variance.end(),
              certainty_.variances.begin() + static_cast<std::ptrdiff_t>(begin));
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
  Certainty certainty_;
  std::vector<double> slopes_;    // how the own parameters follow the shared ones
  std::vector<double> together_;  // the information of the shared ones
};

bool is_unidentified(const FittedItem& item, const std::string& name) {
  const auto& unknown = item.unidentified;
  return std::find(unknown.begin(), unknown.end(), name) != unknown.end();
}

void store_intervals(std::span<const double> variances, const Prior& prior,
                     std::vector<FittedItem>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double w = items[i].attraction;
    if (!(variances[i] > 0) || !is_inside(w) || is_unidentified(items[i], "attraction")) continue;
    const double trials = w * (1 - w) / variances[i];  // the prior's among them
    const double own = std::max(0.0, trials - prior.successes - prior.failures);
    items[i].interval = wilson_interval({own, std::clamp(w * trials - prior.successes, 0.0, own)});
  }
}

void mark_entries(std::span<const std::uint8_t> doubted, FittedList& list) {
  for (std::size_t n = 0; n < list.values.size() && n < doubted.size(); ++n) {
    if (doubted[n] != 0) list.unidentified.push_back(n + 1);
  }
  std::sort(list.unidentified.begin(), list.unidentified.end());
  list.unidentified.erase(std::unique(list.unidentified.begin(), list.unidentified.end()),
                          list.unidentified.end());
}

// The attractions of the items, each of their other parameters, a list.
void mark_query(std::span<const std::uint8_t> doubted, const EmNames& names, FittedQuery& query) {
  const std::size_t items = query.items.size();
  for (std::size_t i = 0; i < items; ++i) {
    std::vector<std::string> marked;
    const auto mark = [&](const std::string& name, std::size_t block) {
      const bool in_doubt = doubted[block * items + i] != 0;
      if (in_doubt || is_unidentified(query.items[i], name)) marked.push_back(name);
    };
    mark("attraction", 0);
    for (std::size_t p = 0; p < names.items.size(); ++p) mark(names.items[p], p + 1);
    query.items[i].unidentified = std::move(marked);
  }
  if (const auto list = query.lists.find(names.list); list != query.lists.end()) {
    mark_entries(doubted.subspan((names.items.size() + 1) * items), list->second);
  }
}

}  // namespace

Certainty certainty_of(const Sample& sample, const EmModel& model, const EmResult& result,
                       const FitOptions& options) {
  return Variances(sample, model, result, options).all();
}

void add_intervals(const Sample& sample, const EmModel& model, const EmResult& result,
                   const FitOptions& options, const EmNames& names, FittedModel& fitted) {
  if (!options.intervals || !result.trace.converged) return;
  const Certainty certainty = certainty_of(sample, model, result, options);
  std::span<const std::uint8_t> doubted = certainty.doubted;
  std::span<const double> variances = certainty.variances;
  for (std::size_t q = 0; q < fitted.queries.size(); ++q) {
    mark_query(doubted.first(model.own[q]), names, fitted.queries[q]);
    store_intervals(variances.first(model.own[q]), options.prior, fitted.queries[q].items);
    doubted = doubted.subspan(model.own[q]);
    variances = variances.subspan(model.own[q]);
  }
  if (const auto list = fitted.lists.find(names.list); list != fitted.lists.end()) {
    mark_entries(doubted, list->second);
  }
}

}  // namespace dcmrank
