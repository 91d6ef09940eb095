#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcmrank/sim/experiment.h"

namespace dcmrank {

/// A table of results for people: a heading, then a row for each policy. Differences from the first
/// are taken run by run: policies of one comparison meet the same users. `floor` is that of a run
/// (net_regret.h). The time of a step differs from one run of the program to the next.
std::vector<std::vector<std::string>> result_rows(std::span<const PolicyResult> results,
                                                  std::optional<double> floor,
                                                  bool with_time = true);

/// What regret counts, by Problem::reward(), in a sentence; empty where nothing says so.
std::string reward_text(const std::string& kind);

/// What regret counts, and what it is measured against where that is not simply the best list.
std::string best_list_text(const Problem& problem, std::optional<double> floor);

}  // namespace dcmrank
