#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcmrank/base/csv.h"
#include "dcmrank/users/problem.h"

namespace dcmrank {

/// A problem of a sweep, with the parameters by which it was asked for: columns of the table.
struct SweepProblem {
  std::string name;
  Problem problem;
  std::vector<std::pair<std::string, Cell>> parameters;
};

/// A grid: every policy on every problem for every number of steps.
struct SweepPlan {
  std::vector<SweepProblem> problems;
  std::vector<std::string> policies;  // as typed
  std::vector<std::uint64_t> steps;
  std::uint64_t runs = 0;
  std::uint64_t seed = 0;
  std::vector<std::string> files = {};  // that problems were read from

  std::size_t cells() const { return problems.size() * steps.size() * policies.size(); }
};

inline constexpr std::size_t kMostCells = 1'000'000;

/// A sweep file (docs/sweep.md). Files that it names are found from the folder that it is in.
/// Throws InputError naming file, line and column.
SweepPlan parse_sweep(std::string_view text, const std::string& file);

}  // namespace dcmrank
