#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure.h"

namespace dcmrank::bench {

/// A part of the benchmark: problems and how long to play them.
struct Suite {
  std::string name;
  std::string about;
  std::function<Problems()> problems;
  ExperimentOptions options;
  bool summary = false;  // too many problems for a line each
};

/// Users, policies and random problems all follow from the seed. `fitted`: problems that were
/// fitted to a log, if there is one.
std::vector<Suite> suites(std::uint64_t seed, const Problems& fitted);

}  // namespace dcmrank::bench
