#include "dcmrank/policy/chain_witness.h"

#include <nlohmann/json.hpp>

#include "dcmrank/model/prior.h"
#include "dcmrank/policy/state.h"

namespace dcmrank {

ChainWitness::ChainWitness(std::size_t items, std::size_t positions, double continuation)
    : continuation_(continuation), items_(items), positions_(positions), reached_(positions) {}

double ChainWitness::foretell(std::span<const Item> list, Clicks clicks, double average) const {
  return foretell_chain(
      list, clicks, continuation_, [&](Item e) { return foretold_attraction(items_[e], average); },
      [&](std::size_t k) { return posterior_mean(positions_[k]); });
}

void ChainWitness::learn(std::span<const Item> list, Clicks clicks, double average) {
  const std::size_t last = last_click(clicks);
  const std::size_t size = clicks.size();
  // How probable it is that the user reached each position below the last click and skipped all,
  // and that it was the last one that the user looked at.
  double reach = last == 0 ? 1 : 1 - posterior_mean(positions_[last - 1]);
  double stopped = 1 - reach;  // at the last click
  double all = stopped;
  for (std::size_t k = last; k < size; ++k) {
    if (k > last) reach *= continuation_;
    reach *= 1 - foretold_attraction(items_[list[k]], average);
    reached_[k] = k + 1 < size ? reach * (1 - continuation_) : reach;
    all += reached_[k];
  }
  for (std::size_t k = 0; k < last; ++k) {
    items_[list[k]].add(clicks[k] != 0);
    if (k + 1 < size) positions_[k].clicked += clicks[k] != 0 ? 1 : 0;
  }
  if (last > 0 && last < size) positions_[last - 1].terminated += stopped / all;
  double beyond = 0;
  for (std::size_t k = size; k-- > last;) {
    beyond += reached_[k];
    items_[list[k]].observed += beyond / all;
  }
}

nlohmann::ordered_json ChainWitness::save() const {
  return {{"counts", counts_to_json(items_)}, {"terminations", terminations_to_json(positions_)}};
}

void ChainWitness::load(const nlohmann::ordered_json& state) {
  counts_from_json(state, items_);
  terminations_from_json(state, positions_);
}

}  // namespace dcmrank
