#include "dcmrank/sim/net_regret.h"

#include <limits>

#include <fmt/format.h>

#include "dcmrank/sim/curve_steps.h"

namespace dcmrank {

std::optional<double> floor_of_run(const Problem& problem, std::uint64_t steps) {
  const auto& floor = problem.facts().floor;
  if (!floor) return std::nullopt;
  return *floor * static_cast<double>(steps);
}

Summary net_regret(const PolicyResult& result, std::optional<double> floor) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (!floor) return {kUnknown, kUnknown};
  return {result.regret.mean - *floor, result.regret.stderr_};
}

std::string linear_rule() {
  return fmt::format(
      "A run is linear if its net regret is above {:g} and more than {:g} % of it came in the "
      "second half.",
      kLinearLeast, 100 * kLinearShare);
}

std::size_t linear_runs(const PolicyResult& result, double floor) {
  const auto steps = static_cast<double>(result.curve_steps.back());
  const auto half = static_cast<double>(half_of(result.curve_steps.back()));
  std::size_t n = 0;
  for (std::size_t r = 0; r < result.regret_per_run.size(); ++r) {
    const double net = result.regret_per_run[r] - floor;
    const double second = net - (result.half_per_run[r] - floor * half / steps);
    if (net > kLinearLeast && second > kLinearShare * net) ++n;
  }
  return n;
}

}  // namespace dcmrank
