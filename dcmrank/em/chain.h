#pragma once

#include <array>
#include <span>
#include <vector>

#include "dcmrank/em/em.h"
#include "dcmrank/fit/sample.h"

namespace dcmrank {

/// What DBN and CCM share: a user goes down the list and may leave after a skip as well, so below
/// the last click, and on a page without one, it is not certain what was examined. What is above it
/// is certain: the counts here.
struct ChainCounts {
  std::vector<Counts> examined;  // by item: certain examinations, and clicks
  std::vector<double> went_on;   // by item: clicks with another one below
  std::vector<double> may_have;  // by item: last clicks with something below
  std::vector<double> passed;    // by query: positions above a last click, from all of which the
                                 // user went on
};
ChainCounts chain_counts(const Sample& sample);

/// What these models need of a log.
Needs needs_chains(const FitOptions& options);

/// The chain of items below a last click, none of which was clicked, as seen by a user who
/// continues after a skip with chance `on`. `w` are the attractions of the items of the query, of
/// which the first has number `begin`.
class SkippedChain {
 public:
  SkippedChain(const Tail& tail, std::size_t begin, std::span<const double> w, double on);

  /// The probability that nothing is clicked, if the first item is examined.
  double nothing() const { return nothing_[0]; }

  /// Adds what is expected of `reached` users who examined the first item.
  void expect(double reached, std::span<Counts> items, Counts& on) const;

 private:
  const Tail* tail_;
  std::size_t begin_;
  double on_;
  std::array<double, kMaxPositions> nothing_{};  // from each item on, if it is examined
};

/// How the first item of a chain came to be examined: by what chance, and the slopes of its
/// logarithm. The first of the shared ones is that of the chance of going on after a skip.
struct ChainStart {
  double reached = 1;
  std::vector<Slope> own = {};
  std::vector<Slope> shared = {{0, 0}};
};

/// Visits what users may do in a chain: click one of the items, after skipping those above, or
/// none. Of the users who had it to go down, only those are in the tail who clicked none: there
/// are more of them, as many as the chance of that says. `w` and `on` are as in a SkippedChain.
void visit_outcomes(const Tail& tail, std::size_t begin, std::span<const double> w, double on,
                    const ChainStart& start, const OutcomeVisitor& visit);

}  // namespace dcmrank
