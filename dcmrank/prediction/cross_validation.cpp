#include "dcmrank/prediction/cross_validation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

// The two-sided 95 % points of Student's t, for 1 to 19 degrees of freedom.
constexpr std::array<double, kMostFolds - 1> kStudent{
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093};

// Tells the fold of every impression of a part of a log. Pages without a session are numbered.
class Folds {
 public:
  Folds(std::size_t part, const CrossValidationOptions& options)
      : part_(part), seed_(options.seed), folds_(options.folds) {}

  std::size_t of(const Impression& impression) {
    const std::uint64_t number = subkey(subkey(0, part_), pages_++);
    return fold_of(impression.session != 0 ? impression.session : number, seed_, folds_);
  }

 private:
  std::size_t part_;
  std::uint64_t seed_;
  std::size_t folds_;
  std::uint64_t pages_ = 0;
};

// The statistics of each fold.
class FoldStatistics : public ImpressionSink {
 public:
  FoldStatistics(Folds folds, const Needs& needs, std::size_t count)
      : statistics(count, Statistics(needs)), folds_(folds) {}

  void add(const Impression& impression) override {
    statistics[folds_.of(impression)].add(impression);
  }

  std::vector<Statistics> statistics;

 private:
  Folds folds_;
};

Method method_of(const ClickModel& model) {
  const auto& methods = model.methods;
  const bool em = std::find(methods.begin(), methods.end(), Method::kEm) != methods.end();
  return em ? Method::kEm : methods.front();
}

void add_needs(const Needs& more, Needs& needs) {
  needs.tails = needs.tails || more.tails;
  needs.positions = needs.positions || more.positions;
  needs.chains = needs.chains || more.chains;
  needs.contexts = needs.contexts || more.contexts;
}

// One cross-validation: reads, fits, reads again.
class Validator {
 public:
  Validator(const std::vector<const ClickModel*>& models, const Log& log,
            const ReadOptions& reading, const CrossValidationOptions& options)
      : log_(&log), reading_(&reading), options_(&options) {
    needs_.most_tails = options.most_tails;
    for (const ClickModel* model : models) {
      result_.models.push_back({model, method_of(*model), {}, true});
      add_needs(model->needs(fit_options(result_.models.back())), needs_);
    }
  }

  // The statistics of the folds, in any order: samples are sorted.
  void collect() {
    folds_.assign(options_->folds, Statistics(needs_));
    std::mutex mutex;
    result_.report = read_log(*log_, *reading_, [&](std::size_t part) {
      return std::shared_ptr<FoldStatistics>(
          new FoldStatistics(Folds(part, *options_), needs_, options_->folds),
          [&](FoldStatistics* read) {
            const std::lock_guard lock(mutex);
            for (std::size_t f = 0; f < folds_.size(); ++f) folds_[f].merge(read->statistics[f]);
            delete read;  // NOLINT(cppcoreguidelines-owning-memory): it is ours
          });
    });
    require_impressions(result_.report);
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      if (folds_[f].counts.query_count() > 0) continue;
      throw InputError(fmt::format("--folds {}: the log has too few sessions, fold {} is empty",
                                   options_->folds, f + 1));
    }
  }

  void fit_all(std::atomic<std::uint64_t>& done) {
    fitted_.resize(options_->folds);
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const Sample sample = all_but(f);
      fitted_[f].resize(result_.models.size());
      parallel_for(result_.models.size(), resolve_threads(reading_->threads), [&](std::size_t m) {
        if (reading_->control.stop.stop_requested()) throw Interrupted();
        fitted_[f][m] = fit(*result_.models[m].model, sample, fit_options(result_.models[m]));
        ++done;
      });
      for (std::size_t m = 0; m < result_.models.size(); ++m) {
        const EmTrace& em = fitted_[f][m].em;
        auto& model = result_.models[m];
        model.converged = model.converged && (em.objective.empty() || em.converged);
      }
    }
    folds_.clear();
  }

  void score_all();

  CrossValidation result() { return std::move(result_); }

 private:
  FitOptions fit_options(const CrossValidation::Model& model) const {
    FitOptions options = options_->fit;
    options.method = model.method;
    options.intervals = false;
    options.threads = 1;
    return options;
  }

  Sample all_but(std::size_t fold) const {
    Statistics training(needs_);
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      if (f != fold) training.merge(folds_[f]);
    }
    Sample sample = make_sample(training, options_->choice);
    if (sample.queries.empty()) throw InputError("--min-impressions leaves no query");
    if (needs_.any_tails() && !sample.tails) {
      throw InputError("the log has more distinct tails than --max-tails: raise it");
    }
    return sample;
  }

  const Log* log_;
  const ReadOptions* reading_;
  const CrossValidationOptions* options_;
  Needs needs_;
  std::vector<Statistics> folds_;
  std::vector<std::vector<FittedModel>> fitted_;  // by fold and model
  CrossValidation result_;
};

// Scorers by fold and model.
class FoldScorers : public ImpressionSink {
 public:
  FoldScorers(Folds folds, const std::vector<std::vector<ModelParameters>>& models)
      : folds_(folds) {
    for (const auto& of_fold : models) {
      scorers.emplace_back();
      for (const ModelParameters& model : of_fold) scorers.back().emplace_back(model);
    }
  }

  void add(const Impression& impression) override {
    for (Scorer& scorer : scorers[folds_.of(impression)]) scorer.add(impression);
  }

  std::vector<std::vector<Scorer>> scorers;

 private:
  Folds folds_;
};

void Validator::score_all() {
  std::vector<std::vector<ModelParameters>> parameters;
  for (const auto& of_fold : fitted_) parameters.emplace_back(of_fold.begin(), of_fold.end());
  std::vector<std::shared_ptr<FoldScorers>> parts(log_->parts());
  read_log(*log_, *reading_, [&](std::size_t p) {
    return parts[p] = std::make_shared<FoldScorers>(Folds(p, *options_), parameters);
  });
  FoldScorers sum(Folds(0, *options_), parameters);
  for (const auto& part : parts) {  // in the order of the log, so that rounding is the same
    for (std::size_t f = 0; f < sum.scorers.size(); ++f) {
      for (std::size_t m = 0; m < sum.scorers[f].size(); ++m) {
        sum.scorers[f][m].merge(part->scorers[f][m]);
      }
    }
  }
  for (const auto& of_fold : sum.scorers) {
    for (std::size_t m = 0; m < of_fold.size(); ++m) {
      result_.models[m].folds.push_back(of_fold[m].scores());
    }
  }
}

std::vector<double> per_fold(const CrossValidation::Model& model, double Scores::*score) {
  std::vector<double> values;
  for (const Scores& scores : model.folds) values.push_back(scores.*score);
  return values;
}

Comparison::Row comparison_row(const CrossValidation& validation, std::size_t m, std::size_t best) {
  const auto likelihood = per_fold(validation.models[m], &Scores::log_likelihood);
  const auto of_best = per_fold(validation.models[best], &Scores::log_likelihood);
  Comparison::Row row{m, summarise(likelihood),
                      summarise(per_fold(validation.models[m], &Scores::perplexity)),
                      paired_difference(likelihood, of_best), false};
  row.told_apart = m != best && std::abs(row.difference.mean) >
                                    kStudent[likelihood.size() - 2] * row.difference.stderr_;
  return row;
}

}  // namespace

std::size_t fold_of(std::uint64_t session, std::uint64_t seed, std::size_t folds) {
  return static_cast<std::size_t>(subkey(subkey(0, seed), session) % folds);
}

CrossValidation cross_validate(const std::vector<const ClickModel*>& models, const Log& log,
                               const ReadOptions& reading, const CrossValidationOptions& options,
                               const Stage& stage, std::atomic<std::uint64_t>& done) {
  if (!log.can_read_again) {
    throw InputError("the log is read twice, so it cannot be standard input or a pipe");
  }
  Validator validator(models, log, reading, options);
  stage("read", log.bytes);
  validator.collect();
  stage("fit", options.folds * models.size());
  validator.fit_all(done);
  stage("score", log.bytes);
  validator.score_all();
  return validator.result();
}

Comparison compare_models(const CrossValidation& validation) {
  std::size_t best = 0;
  std::vector<double> means;
  for (const auto& model : validation.models) {
    means.push_back(summarise(per_fold(model, &Scores::log_likelihood)).mean);
    if (means.back() > means[best]) best = means.size() - 1;
  }
  Comparison comparison;
  for (std::size_t m = 0; m < means.size(); ++m) {
    comparison.rows.push_back(comparison_row(validation, m, best));
  }
  std::stable_sort(
      comparison.rows.begin(), comparison.rows.end(),
      [](const auto& a, const auto& b) { return a.log_likelihood.mean > b.log_likelihood.mean; });
  return comparison;
}

}  // namespace dcmrank
