#pragma once

#include <span>
#include <vector>

#include "dcmrank/log/reader.h"
#include "dcmrank/numeric/summary.h"
#include "dcmrank/prediction/parameters.h"

namespace dcmrank {

/// How well a model predicts a log, as PyClick defines it. Probabilities are kept within
/// [1e-6, 1 - 1e-6], so that one event that a model considers impossible does not decide alone.
struct Scores {
  double sessions = 0;        // impressions
  double log_likelihood = 0;  // mean over sessions of the mean over positions of ln P(c_k | c_<k)
  double perplexity = 0;      // mean over positions of 2^(-mean log2 P(c_k))
  double conditional_perplexity = 0;  // the same of P(c_k | c_<k)
  std::vector<double> perplexity_at;
  std::vector<double> conditional_perplexity_at;
  double deeper = 0;   // impressions longer than those that the model was fitted to
  double unknown = 0;  // impressions of queries that the model does not know

  /// Standard errors of the three scores. Pages of a session are not independent: sessions are put
  /// into groups, and each group is left out in turn. Not a number for one group, which has none.
  struct Errors {
    double log_likelihood = 0;
    double perplexity = 0;
    double conditional_perplexity = 0;
  };
  Errors errors;
};

/// The sums behind scores: a monoid, one thread at a time.
class Scorer : public ImpressionSink {
 public:
  explicit Scorer(const ModelParameters& parameters) : parameters_(&parameters) {}

  void add(const Impression& impression) override;
  void merge(const Scorer& other);
  Scores scores() const;
  /// The log-likelihood less that of another model on the same impressions. Both meet the same
  /// pages, so the error of the difference is less than the errors of the two suggest.
  Summary difference(const Scorer& other) const;

 private:
  struct Position {
    double shown = 0;
    double full = 0;         // sum of ln P(c_k)
    double conditional = 0;  // sum of ln P(c_k | c_<k)
  };
  struct Sums {
    double sessions = 0;
    double log_likelihood = 0;
    std::vector<Position> positions;

    void add(const Sums& other, double sign = 1);
    Scores scores() const;
  };

  Sums& group_of(const Impression& impression);
  Scores::Errors errors(const Scores& of_all) const;

  const ModelParameters* parameters_;
  double deeper_ = 0;
  double unknown_ = 0;
  Sums all_;
  std::vector<Sums> groups_;  // of sessions, for the errors
  Sums one_;                  // scratch
  PageParameters page_;       // scratch
  std::vector<double> full_;
  std::vector<double> conditional_;
};

struct Evaluation {
  std::vector<Scores> scores;        // of each model
  std::vector<Summary> differences;  // of each model's log-likelihood to the first's
  LogReport report;
};

/// Scores all models on one reading of the log. Does not depend on the number of threads.
Evaluation evaluate(std::span<const ModelParameters> models, const Log& log,
                    const ReadOptions& options);
Evaluation evaluate(const std::vector<FittedModel>& models, const Log& log,
                    const ReadOptions& options);

}  // namespace dcmrank
