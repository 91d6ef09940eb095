#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/sample.h"

namespace dcmrank {

/// Parameters that an E-step looks at, and where it adds what it expects of each.
struct EmView {
  std::span<const double> own;     // the query's
  std::span<const double> shared;  // by all queries
  std::span<Counts> own_counts;
  std::span<Counts> shared_counts;
};

/// What a piece of a log tells about one own parameter, one shared one, and both together: second
/// derivatives of its log-likelihood, with the sign changed.
struct InformationPiece {
  std::size_t own = 0;
  std::size_t shared = 0;
  double of_own = 0;
  double of_shared = 0;
  double of_both = 0;
};
using PieceVisitor = std::function<void(const InformationPiece&)>;

/// How fast something grows with a parameter.
struct Slope {
  std::uint32_t parameter = 0;  // its number, among the query's own or the shared ones
  double by = 0;
};
/// Something that users may be seen to do: how often that is, and the slopes of its log-likelihood.
using OutcomeVisitor =
    std::function<void(double times, std::span<const Slope> own, std::span<const Slope> shared)>;

/// A click model as EM sees it. Every parameter is the chance of an event; the E-step tells how
/// often the event was possible and how often it came, as far as the log and the parameters tell;
/// the M-step is estimate(). Both E-steps return the log-likelihood of what they are given, and are
/// called from several threads.
struct EmModel {
  std::vector<std::size_t> own;  // how many parameters each query has
  std::vector<double> start;     // those of the queries in turn, then the shared ones; in (0, 1)
  /// By shared parameter: whether it stays as it is. As many as there are.
  std::vector<std::uint8_t> fixed;

  /// What the counts of a query say: of each of its own parameters by itself.
  std::function<double(std::size_t query, const EmView& view)> of_counts;
  /// What the lists with one tail say beyond the counts, for models that need tails.
  std::function<double(const Tail& tail, const EmView& view)> of_tail = {};
  /// Appends the numbers of the query's own parameters that of_tail looks at.
  std::function<void(const Tail& tail, std::vector<std::uint32_t>& own)> touched = {};
  /// For models without tails, instead of taking differences: the information of a query's counts,
  /// piece by piece.
  std::function<void(std::size_t query, const EmView& view, const PieceVisitor& visit)> pieces = {};
  /// For models whose shared parameters a log may leave open: everything that users may be seen to
  /// do on the pages of a query, as often as the parameters say. No chance here is 0 or 1.
  std::function<void(std::size_t query, const EmView& view, const OutcomeVisitor& visit)> outcomes =
      {};
};

/// Makes a model's E-step that of an expectation, which has of_counts, of_tail and touched.
template <class Expectation>
void expect_by(std::shared_ptr<const Expectation> expectation, EmModel& model) {
  model.of_counts = [expectation](std::size_t q, const EmView& view) {
    return expectation->of_counts(q, view);
  };
  model.of_tail = [expectation](const Tail& tail, const EmView& view) {
    return expectation->of_tail(tail, view);
  };
  model.touched = [expectation](const Tail& tail, std::vector<std::uint32_t>& own) {
    expectation->touched(tail, own);
  };
}

/// The outcomes of an expectation, for a model.
template <class Expectation>
auto outcomes_by(std::shared_ptr<const Expectation> expectation) {
  return [expectation](std::size_t q, const EmView& view, const OutcomeVisitor& visit) {
    expectation->outcomes(q, view, visit);
  };
}

/// x ln p with the library's own logarithm, the same bits everywhere; 0 ln 0 = 0.
double weighted_log(double x, double p);

/// Adds certain trials to `counts`; returns their log-likelihood.
double expect_trials(const Counts& trials, double p, Counts& counts);

struct EmResult {
  std::vector<double> parameters;  // as EmModel::start
  std::vector<Counts> expected;    // likewise
  EmTrace trace;
};

/// Raises the likelihood times the prior. EM's own steps are extrapolated (SQUAREM of R. Varadhan,
/// C. Roland: Simple and globally convergent methods for accelerating the convergence of any EM
/// algorithm. 2008); where that lowers the objective, EM's own step is taken, so it never falls.
/// Without shared parameters every query stops by itself. Sums are taken within a query, then over
/// queries in the order of the sample: the result is the same for any number of threads.
EmResult run_em(const Sample& sample, const EmModel& model, const FitOptions& options);

/// Takes the attractions of a query's items, and the expected number of their examinations, from
/// the parameters that begin at `from`.
void store_attraction(const EmResult& result, std::size_t from, std::vector<FittedItem>& items);

}  // namespace dcmrank
