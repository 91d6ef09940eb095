#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/placement/positions.h"
#include "dcmrank/policy/counting.h"

namespace dcmrank {

/// Where the algorithm's first sample of every item comes from.
enum class Initialisation {
  kFree,           // Algorithm 1: w_0 is observed before the first step
  kFirstPosition,  // Sec. 3.3: step t <= L shows item t at position 1; its regret counts
};

enum class Placement {
  kPaper,     // Algorithm 1: the n-th largest score at the n-th most terminating position
  kCheapest,  // leaders likewise; explorers where an observation costs least (explorers.h)
  kCheaper,   // as the paper, but explorers where an observation costs less than half
};

/// What the policies of dcmKL-UCB's family may differ in besides the index.
struct DcmOptions {
  Counting counting = Counting::kPrefix;
  Placement placement = Placement::kPaper;
  Initialisation init = Initialisation::kFree;
  PositionKnowledge positions{};  // an order names every position once

  bool uses_terminations() const { return placement != Placement::kPaper || !positions.order; }
};

/// What a policy of dcmKL-UCB's family has learned. counting.h says what a page teaches.
struct DcmKnowledge {
  DcmKnowledge(std::size_t items, std::size_t positions)
      : counts(items), item_doubts(items), terminations(positions), position_doubts(positions) {}

  std::uint64_t round = 1;  // t of the next list
  std::vector<Counts> counts;
  std::vector<Doubt> item_doubts;
  std::vector<TerminationCounts> terminations;
  std::vector<Doubt> position_doubts;

  /// O(K), no allocation.
  void learn(const DcmOptions& options, const SeenPage& page) {
    const std::size_t l = page.leaves_doubt ? page.last - 1 : 0;
    const double v = termination_at(
        options.positions, judged_by(options.counting, terminations[l], position_doubts[l]), l);
    const double q = stop_probability(options.counting, v, page, counts, item_doubts);
    count(options.counting, page, counts);
    count_below(options.counting, q, page, counts, item_doubts);
    count_terminations(options.counting, q, page, terminations, position_doubts);
  }
};

/// Knowledge as a saved state holds it (docs/formats.md), with what a selection settled, if it did
/// (dcm_policy.h). `load` throws InputError, naming the field, for anything that `save` would not
/// write for this size.
using Settled = std::optional<std::array<double, 3>>;
nlohmann::ordered_json save(const DcmKnowledge& knowledge, const Settled& settled = {});
Settled load(const nlohmann::ordered_json& state, DcmKnowledge& knowledge);

}  // namespace dcmrank
