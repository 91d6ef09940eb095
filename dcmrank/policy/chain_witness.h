#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/browsing/item.h"
#include "dcmrank/model/counts.h"
#include "dcmrank/model/interaction.h"
#include "dcmrank/model/termination_counts.h"
#include "dcmrank/numeric/elementary.h"

namespace dcmrank {

/// log P(clicks) of users who walk down the list as in the DCM, but go on after a skip with a given
/// chance only (1: the DCM). `attraction(e)` and `termination(k)` are in (0, 1).
template <class Attraction, class Termination>
double foretell_chain(std::span<const Item> list, Clicks clicks, double continuation,
                      Attraction attraction, Termination termination) {
  double examined = 1;
  double probability = 1;
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    const double w = attraction(list[k]);
    const double click = w * examined;
    probability *= clicks[k] != 0 ? click : 1 - click;
    examined =
        clicks[k] != 0 ? 1 - termination(k) : continuation * examined * (1 - w) / (1 - click);
  }
  return same_log(std::max(probability, 1e-300));
}

/// Users who walk down the list as in the DCM, but go on after a skip with a given chance only (1:
/// the DCM). Learns online, by the probability that an item was examined. It never chooses a list:
/// it foretells pages, to be compared with others that do.
class ChainWitness {
 public:
  ChainWitness(std::size_t items, std::size_t positions, double continuation);

  /// log P(clicks), by what was learned so far.
  double foretell(std::span<const Item> list, Clicks clicks, double average) const;

  /// O(K).
  void learn(std::span<const Item> list, Clicks clicks, double average);

  nlohmann::ordered_json save() const;
  void load(const nlohmann::ordered_json& state);

 private:
  double continuation_;
  std::vector<Counts> items_;
  std::vector<TerminationCounts> positions_;
  std::vector<double> reached_;  // scratch of learn
};

}  // namespace dcmrank
