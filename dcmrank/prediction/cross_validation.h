#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/numeric/summary.h"
#include "dcmrank/prediction/scores.h"

namespace dcmrank {

/// Which of the folds a session belongs to: a hash of the session and the seed, so that it depends
/// on neither the order of the log nor on what else is in it.
std::size_t fold_of(std::uint64_t session, std::uint64_t seed, std::size_t folds);

/// Most folds: their differences are judged by Student's t with one degree of freedom less.
inline constexpr std::size_t kMostFolds = 20;

struct CrossValidationOptions {
  std::size_t folds = 10;  // 2 to kMostFolds
  std::uint64_t seed = 1;
  QueryChoice choice;  // of the queries that are trained on
  FitOptions fit;      // but the method, which is each model's: by EM where it can be
  std::size_t most_tails = 2'000'000;
};

/// What models predict of the sessions that they were not fitted to.
struct CrossValidation {
  struct Model {
    const ClickModel* model = nullptr;
    Method method = Method::kCount;
    std::vector<Scores> folds;
    bool converged = true;  // in every fold
  };
  std::vector<Model> models;  // in the order asked for
  LogReport report;
};

/// What a cross-validation is doing: reading, fitting (of how many), scoring.
using Stage = std::function<void(const char* name, std::uint64_t total)>;

/// Fits every model `folds` times, each time to all sessions but those of one fold, and scores it
/// on these. All pages of a session are in one fold; a page of a format without sessions is one by
/// itself. Reads the log twice: throws InputError if that is not possible, if a fold is empty, or
/// if there are more tails than may be kept. Does not depend on the number of threads.
CrossValidation cross_validate(const std::vector<const ClickModel*>& models, const Log& log,
                               const ReadOptions& reading, const CrossValidationOptions& options,
                               const Stage& stage, std::atomic<std::uint64_t>& done);

/// How models compare, the best by log-likelihood first. Models meet the same folds, so differences
/// are taken fold by fold. (Folds share most of what they are fitted to, which makes these errors
/// somewhat too small, as always in cross-validation.)
struct Comparison {
  struct Row {
    std::size_t model = 0;   // its number in the cross-validation
    Summary log_likelihood;  // over folds
    Summary perplexity;
    Summary difference;       // of the log-likelihood, from the best's
    bool told_apart = false;  // from the best: the difference is not 0 at the 95 % level
  };
  std::vector<Row> rows;
};
Comparison compare_models(const CrossValidation& validation);

}  // namespace dcmrank
