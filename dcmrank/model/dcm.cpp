#include "dcmrank/model/dcm.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

void check_probability(double value, const char* name) {
  // Written so that NaN, for which every comparison is false, is refused too.
  if (!(value >= 0 && value <= 1)) {
    throw InputError(fmt::format("{} is {}, not a probability in [0, 1]", name, value));
  }
}

void check_probabilities(std::span<const double> values, const char* name) {
  if (values.empty()) throw InputError(fmt::format("{} is empty", name));
  for (std::size_t n = 0; n < values.size(); ++n) {
    check_probability(values[n], fmt::format("{}[{}]", name, n).c_str());
  }
}

void check_size(std::size_t items, std::size_t positions) {
  if (positions == 0) throw InputError("K is 0: a list needs at least one position");
  if (items < 2) {
    throw InputError(
        fmt::format("L is {}: with fewer than 2 items there is nothing to rank", items));
  }
  if (items > kMaxItems) throw InputError(fmt::format("L is {}, above {}", items, kMaxItems));
  if (positions > items) {
    throw InputError(fmt::format("K is {} and L is {}: K must not exceed L", positions, items));
  }
}

}  // namespace

void check(const Dcm& dcm) {
  check_probabilities(dcm.attraction, "attraction");
  check_probabilities(dcm.termination, "termination");
  check_size(dcm.items(), dcm.positions());
}

double either(std::span<const double> x) {
  double none = 1;
  for (const double value : x) none *= 1 - value;
  return 1 - none;
}

std::vector<std::size_t> decreasing_order(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

std::vector<Item> optimal_list(const Dcm& dcm) {
  const auto items = decreasing_order(dcm.attraction);
  const auto positions = decreasing_order(dcm.termination);
  std::vector<Item> list(positions.size());
  for (std::size_t n = 0; n < positions.size(); ++n) {
    list[positions[n]] = static_cast<Item>(items[n]);
  }
  return list;
}

Dcm make_dcm(const LowerBoundClass& parameters) {
  check_size(parameters.items, parameters.positions);
  check_probability(parameters.p, "p");
  check_probability(parameters.gap, "gap");
  check_probability(parameters.gamma, "gamma");
  if (parameters.gap > parameters.p) {
    throw InputError(fmt::format("gap is {} and p is {}: the gap must not exceed p", parameters.gap,
                                 parameters.p));
  }
  Dcm dcm;
  dcm.attraction.assign(parameters.items, parameters.p - parameters.gap);
  std::fill_n(dcm.attraction.begin(), parameters.positions, parameters.p);
  dcm.termination.assign(parameters.positions, parameters.gamma);
  return dcm;
}

}  // namespace dcmrank
