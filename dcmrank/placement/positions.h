#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "dcmrank/model/prior.h"
#include "dcmrank/model/termination_counts.h"
#include "dcmrank/placement/placement.h"

namespace dcmrank {

/// What the user says about the positions. The paper's setting is a known order.
struct PositionKnowledge {
  std::optional<PositionOrder> order;  // absent: learned from the clicks
  std::vector<double> terminations;    // empty: learned; else one per position
  std::optional<double> last;          // the termination of the last position, if it is known
};

/// What a policy believes about the positions in one round.
struct PositionBelief {
  std::vector<double> terminations;  // v~, by position
  PositionOrder order;               // from the most to the least terminating
};

/// The belief from the counts (one per position, at least one) and what the user says; fills
/// `belief` without allocation where it has the room. O(K log K).
///
/// - A learned termination is the posterior mean, kept within [.01, .99].
/// - Under a known order the learned values are sorted into it.
/// - The last position's termination cannot be learned from clicks: nobody can be seen to continue.
///   It is `knowledge.last` where given. Else, if the order is learned or names it last, it is the
///   least learned one times their average ratio, at most .85; if the order names it first, the
///   largest; otherwise the mean of its two neighbours: a guess that contradicts nothing known.
void believe(const PositionKnowledge& knowledge, std::span<const TerminationCounts> counts,
             PositionBelief& belief);

/// The termination of position k (counted from 0) where a click there is the last: known, or the
/// posterior mean of the position's counts.
inline double termination_at(const PositionKnowledge& knowledge, const TerminationCounts& counts,
                             std::size_t k) {
  return knowledge.terminations.empty() ? posterior_mean(counts) : knowledge.terminations[k];
}

}  // namespace dcmrank
