#include "problems.h"

#include <algorithm>

#include <fmt/format.h>

#include "dcmrank/model/paper_problems.h"
#include "dcmrank/random/rng.h"

namespace dcmrank::bench {
namespace {

NamedProblem named(const LowerBoundClass& p) {
  return {fmt::format("L={}, K={}, gap={}, gamma={}", p.items, p.positions, p.gap, p.gamma),
          make_dcm(p)};
}

// From `first` down to `last` in even steps.
std::vector<double> evenly(std::size_t count, double first, double last) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = first + (last - first) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return values;
}

std::vector<double> uniform(std::size_t count, double least, double most, Rng& rng) {
  std::vector<double> values(count);
  for (double& value : values) value = least + (most - least) * rng.uniform();
  return values;
}

}  // namespace

Problems bias_example() { return {{"bias example", biased_problem()}}; }

Problems fig2() { return {named(fig2_problem())}; }

Problems fig1a() {
  Problems problems;
  for (const LowerBoundClass& problem : fig1a_grid()) problems.push_back(named(problem));
  return problems;
}

Problems termination_orders() {
  const auto w = evenly(12, .6, .05);
  return {{"v decreasing", {w, {.9, .7, .5, .3, .1}}},
          {"v increasing", {w, {.1, .3, .5, .7, .9}}},
          {"v mixed", {w, {.5, .9, .1, .7, .3}}},
          {"v alike", {w, {.5, .5, .5, .5, .5}}}};
}

Problems gaps() {
  std::vector<double> wide(16, .1);
  std::fill_n(wide.begin(), 4, .7);
  return {{"wide gap (.7 / .1)", {wide, {.6, .5, .4, .3}}},
          {"even steps of .04", {evenly(16, .7, .1), {.6, .5, .4, .3}}},
          {"even steps of .01", {evenly(16, .4, .25), {.6, .5, .4, .3}}},
          {"steps of .01, small", {evenly(16, .16, .01), {.6, .5, .4, .3}}}};
}

Problems sizes() {
  const auto down = [](std::size_t items, std::size_t positions) {
    return Dcm{evenly(items, .5, .02),
               positions == 1 ? std::vector<double>{.5} : evenly(positions, .7, .2)};
  };
  return {{"L=3, K=1", down(3, 1)},       {"L=3, K=3", down(3, 3)},
          {"L=10, K=10", down(10, 10)},   {"L=100, K=5", down(100, 5)},
          {"L=100, K=20", down(100, 20)}, {"L=300, K=10", down(300, 10)}};
}

Problems random_problems(std::size_t count, std::uint64_t seed) {
  Problems problems;
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng(subkey(seed, i));
    const std::size_t items = 3 + rng.below(48);
    const std::size_t positions = 1 + rng.below(std::min<std::size_t>(10, items));
    auto w = uniform(items, 0, 1, rng);
    problems.push_back({fmt::format("random {}", i), {w, uniform(positions, 0, 1, rng)}});
  }
  return problems;
}

Problems realistic_problems(std::size_t count, std::uint64_t seed) {
  Problems problems;
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng(subkey(seed, i));
    auto w = uniform(10 + rng.below(91), 0, .5, rng);
    problems.push_back({fmt::format("realistic {}", i), {w, uniform(10, .3, .7, rng)}});
  }
  return problems;
}

}  // namespace dcmrank::bench
