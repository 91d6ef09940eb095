#include "dcmrank/sim/curve_steps.h"

#include <cmath>
#include <set>

namespace dcmrank {

std::vector<std::uint64_t> curve_steps(std::uint64_t n) {
  constexpr int kEven = 100;
  constexpr int kPerDecade = 20;
  std::set<std::uint64_t> steps{n};
  const auto last = static_cast<double>(n);
  const auto add = [&](double step) {
    const auto rounded = static_cast<std::uint64_t>(std::llround(step));
    if (rounded >= 1 && rounded <= n) steps.insert(rounded);
  };
  for (int i = 1; i < kEven; ++i) add(last * i / kEven);
  const int decades = static_cast<int>(std::ceil(std::log10(last)));
  for (int i = 0; i < decades * kPerDecade; ++i) add(std::pow(10.0, double{1} * i / kPerDecade));
  return {steps.begin(), steps.end()};
}

}  // namespace dcmrank
