#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/doubt.h"
#include "dcmrank/model/estimate.h"
#include "dcmrank/model/interaction.h"
#include "dcmrank/model/termination_counts.h"

namespace dcmrank {

/// What a pair (list, clicks) teaches about the items shown and the positions they stood at. This
/// file is the only place that says so. Everything is O(K), without allocation; only the positions
/// on the screen (clicks.size() of them) are considered.
enum class Counting {
  kPrefix,      // Sec. 3.2: everything up to the last click, as published
  kFirstClick,  // Sec. 5.2: only the first click is kept; nothing below it is observed
  kLastClick,   // Sec. 5.2: only the last click is kept; clicks above it become skips
  kEm,          // repaired: below the last click by the probability of having been examined
  kRevisedEm,   // the same, where earlier pages follow the belief as it improves (doubt.h)
};

inline bool is_repaired(Counting counting) {
  return counting == Counting::kEm || counting == Counting::kRevisedEm;
}

/// How many positions, from the top, count as examined with certainty.
inline std::size_t certain_positions(Counting counting, Clicks clicks) {
  if (counting != Counting::kFirstClick) return observed_prefix(clicks);
  const auto first = std::find_if(clicks.begin(), clicks.end(), [](auto c) { return c != 0; });
  return static_cast<std::size_t>(first - clicks.begin()) + (first == clicks.end() ? 0 : 1);
}

/// Adds to the items' counts what is certain under `counting`: all that the paper counts.
inline void count(Counting counting, std::span<const Item> list, Clicks clicks,
                  std::span<Counts> counts) {
  const std::size_t certain = certain_positions(counting, clicks);
  for (std::size_t k = 0; k < certain; ++k) {
    const bool kept = counting != Counting::kLastClick || k + 1 == certain;
    counts[list[k]].add(clicks[k] != 0 && kept);
  }
}

/// How many positions, from the top, may see the counts of their items change.
inline std::size_t counted_positions(Counting counting, Clicks clicks) {
  return is_repaired(counting) ? clicks.size() : certain_positions(counting, clicks);
}

/// Whether the clicks leave open where the user stopped: there is a last click, and something below
/// it on the screen. Otherwise everything is certain.
inline bool leaves_doubt(Clicks clicks) {
  const std::size_t last = last_click(clicks);
  return last != 0 && last < clicks.size();
}

/// By which counts the next page in doubt is judged: revised-em judges by what it believes now.
template <class AnyCounts>
AnyCounts judged_by(Counting counting, const AnyCounts& counts, const Doubt& doubt) {
  return counting == Counting::kRevisedEm ? believed(counts, doubt) : counts;
}

/// Enters a page in doubt of an item or a position; what it adds to the counts.
inline double enter(Counting counting, Doubt& doubt, double weight) {
  return counting == Counting::kRevisedEm ? enter_revising(doubt, weight) : enter(doubt, weight);
}

/// q = v / (v + (1 - v) pi): the probability that the user stopped at the last click given all
/// clicks, where v is the termination there and pi the probability that nothing below attracts. The
/// E-step of the exact likelihood (model/likelihood.h). The paper drops what is below the last
/// click, though an attractive item there is always seen: its estimates are too high.
inline double stop_probability(double termination, double none_below) {
  const double stopped_or_not = termination + (1 - termination) * none_below;
  return stopped_or_not > 0 ? termination / stopped_or_not : 0;
}

/// The same from the counts of the items shown. pi takes their posterior means: with the raw means
/// an item clicked in its only observation has pi = 0, hence q = 1, and is never corrected.
/// `doubts` has an entry for every item.
inline double stop_probability(Counting counting, double termination, std::span<const Item> list,
                               Clicks clicks, std::span<const Counts> counts,
                               std::span<const Doubt> doubts) {
  double none_below = 1;
  for (std::size_t k = last_click(clicks); k < clicks.size(); ++k) {
    const Item e = list[k];
    none_below *= 1 - posterior_mean(judged_by(counting, counts[e], doubts[e]));
  }
  return stop_probability(termination, none_below);
}

/// Adds what is not certain, given q, under a repaired counting: below the last click an item was
/// examined, and did not attract, with probability 1 - q. `doubts` has an entry for every item.
inline void count_below(Counting counting, double q, std::span<const Item> list, Clicks clicks,
                        std::span<Counts> counts, std::span<Doubt> doubts) {
  if (!is_repaired(counting) || !leaves_doubt(clicks)) return;
  for (std::size_t k = last_click(clicks); k < clicks.size(); ++k) {
    counts[list[k]].observed += enter(counting, doubts[list[k]], 1 - q);
  }
}

/// Adds what the page teaches about terminations, given q, under any counting. `doubts` has an
/// entry for every position. A click at the end of the screen says nothing: whether the user would
/// have gone on cannot be seen. So the termination of the last position can never be learned.
inline void count_terminations(Counting counting, double q, Clicks clicks,
                               std::span<TerminationCounts> counts, std::span<Doubt> doubts) {
  const std::size_t last = last_click(clicks);
  for (std::size_t k = 0; k < last && k + 1 < clicks.size(); ++k) {
    if (clicks[k] != 0) counts[k].clicked += 1;
  }
  if (!leaves_doubt(clicks)) return;
  double& terminated = counts[last - 1].terminated;
  terminated = std::max(0.0, terminated + enter(counting, doubts[last - 1], q));
}

}  // namespace dcmrank
