#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/doubt.h"
#include "dcmrank/model/interaction.h"
#include "dcmrank/model/prior.h"
#include "dcmrank/model/stop_probability.h"
#include "dcmrank/model/termination_counts.h"

namespace dcmrank {

/// What a pair (list, clicks) teaches about the items shown and the positions they stood at. This
/// file is the only place that says so. Everything is O(K), without allocation; only the positions
/// on the screen (clicks.size() of them) are considered. The processor cannot predict what users
/// did: so what an item or a position does not learn is added as 0, without a branch.
enum class Counting {
  kPrefix,      // Sec. 3.2: everything up to the last click, as published
  kFirstClick,  // Sec. 5.2: only the first click is kept; nothing below it is observed
  kLastClick,   // Sec. 5.2: only the last click is kept; clicks above it become skips
  kEm,          // repaired: below the last click, by the probability of examination
  kRevisedEm,   // the same; earlier pages are revised as the belief improves (doubt.h)
};

inline bool is_repaired(Counting counting) {
  return counting == Counting::kEm || counting == Counting::kRevisedEm;
}

/// A list and what its user did with it.
struct SeenPage {
  SeenPage(std::span<const Item> shown, Clicks clicked)
      : list(shown.first(clicked.size())),
        clicks(clicked),
        last(last_click(clicked)),
        leaves_doubt(last != 0 && last < clicked.size()) {}

  std::span<const Item> list;  // what was on the screen
  Clicks clicks;
  std::size_t last;  // last_click()
  /// Whether the clicks leave open where the user stopped: there is a last click, and something
  /// below it on the screen. Otherwise everything is certain.
  bool leaves_doubt;

  /// 1 where position k is below the last click and may not have been examined, else 0.
  double doubtful(std::size_t k) const {
    return static_cast<double>(static_cast<int>(leaves_doubt) & static_cast<int>(k >= last));
  }
};

/// How many positions, from the top, count as examined with certainty.
inline std::size_t certain_positions(Counting counting, const SeenPage& page) {
  if (counting != Counting::kFirstClick) return observed_prefix(page.last, page.clicks.size());
  std::size_t certain = page.clicks.size();
  for (std::size_t k = certain; k-- > 0;) certain = page.clicks[k] != 0 ? k + 1 : certain;
  return certain;
}

/// Adds to the items' counts what is certain under `counting`: all that the paper counts.
inline void count(Counting counting, const SeenPage& page, std::span<Counts> counts) {
  const std::size_t certain = certain_positions(counting, page);
  const std::size_t first_kept = counting == Counting::kLastClick && certain > 0 ? certain - 1 : 0;
  for (std::size_t k = 0; k < page.list.size(); ++k) {
    Counts& c = counts[page.list[k]];
    c.observed += static_cast<double>(k < certain);
    c.attracted +=
        static_cast<double>(static_cast<int>(k >= first_kept) & static_cast<int>(k < certain) &
                            static_cast<int>(page.clicks[k] != 0));
  }
}

/// How many positions, from the top, have items whose counts may change.
inline std::size_t counted_positions(Counting counting, const SeenPage& page) {
  return is_repaired(counting) ? page.clicks.size() : certain_positions(counting, page);
}

/// The counts by which the next page in doubt is judged: revised-em judges by what it believes now.
template <class AnyCounts>
AnyCounts judged_by(Counting counting, const AnyCounts& counts, const Doubt& doubt) {
  return counting == Counting::kRevisedEm ? believed(counts, doubt) : counts;
}

/// Records a page in doubt (pages = 1), or none (0), for an item or a position; returns what it
/// adds to the counts.
inline double enter(Counting counting, Doubt& doubt, double weight, double pages) {
  if (counting != Counting::kRevisedEm) return enter(doubt, weight, pages);
  return pages > 0 ? enter_revising(doubt, weight) : 0;
}

/// The probability q that the user stopped at the last click, from the counts of the items shown.
/// pi takes their posterior means: with the raw means an item clicked in its only observation has
/// pi = 0, hence q = 1, and is never corrected. Below the last click the paper drops examined items
/// that did not attract; those that did, it counts: its estimates are too high. `doubts` has an
/// entry for every item.
inline double stop_probability(Counting counting, double termination, const SeenPage& page,
                               std::span<const Counts> counts, std::span<const Doubt> doubts) {
  double none_below = 1;
  for (std::size_t k = 0; k < page.list.size(); ++k) {
    const Item e = page.list[k];
    const Counts& c = counts[e];
    const double attracts =
        posterior_mean(counting == Counting::kRevisedEm ? believed(c, doubts[e]) : c);
    none_below *= 1 - page.doubtful(k) * attracts;
  }
  return stop_probability(termination, none_below);
}

/// Adds what is not certain, given q, under a repaired counting: below the last click an item was
/// examined, and did not attract, with probability 1 - q. `doubts` has an entry for every item.
inline void count_below(Counting counting, double q, const SeenPage& page, std::span<Counts> counts,
                        std::span<Doubt> doubts) {
  if (!is_repaired(counting)) return;
  for (std::size_t k = 0; k < page.list.size(); ++k) {
    const Item e = page.list[k];
    counts[e].observed += enter(counting, doubts[e], 1 - q, page.doubtful(k));
  }
}

/// Adds what the page teaches about terminations, given q, under any counting. `doubts` has an
/// entry for every position. A click at the end of the screen says nothing: nobody can be seen to
/// continue. So the termination of the last position can never be learned.
inline void count_terminations(Counting counting, double q, const SeenPage& page,
                               std::span<TerminationCounts> counts, std::span<Doubt> doubts) {
  for (std::size_t k = 0; k + 1 < page.clicks.size(); ++k) {
    counts[k].clicked += static_cast<double>(page.clicks[k] != 0);
  }
  const std::size_t l = page.leaves_doubt ? page.last - 1 : 0;
  double& terminated = counts[l].terminated;
  const double more = enter(counting, doubts[l], q, static_cast<double>(page.leaves_doubt));
  terminated = std::max(0.0, terminated + more);
}

}  // namespace dcmrank
