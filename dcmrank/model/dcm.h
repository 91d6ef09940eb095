#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// The dependent click model (Sec. 2): L attraction probabilities, one per item, and K termination
/// probabilities, one per position.
struct Dcm {
  std::vector<double> attraction;
  std::vector<double> termination;

  std::size_t items() const { return attraction.size(); }
  std::size_t positions() const { return termination.size(); }

  bool operator==(const Dcm&) const = default;
};

/// The largest ground set that is accepted: a typo in L must not exhaust the memory.
inline constexpr std::size_t kMaxItems = 10'000'000;

/// Throws InputError, naming the entry at fault, unless all probabilities are in [0, 1],
/// 1 <= K <= L and 2 <= L <= kMaxItems (with one item there is nothing to rank).
void check(const Dcm& dcm);

/// The or function V(x) = 1 - prod_k (1 - x_k) (Sec. 4).
double either(std::span<const double> x);

/// f(A, w, v) = 1 - prod_k (1 - v(k) w(a_k)): the probability of a satisfied user (Sec. 3.1).
inline double expected_reward(const Dcm& dcm, std::span<const Item> list) {
  double none = 1;
  for (std::size_t k = 0; k < list.size(); ++k) {
    none *= 1 - dcm.termination[k] * dcm.attraction[list[k]];
  }
  return 1 - none;
}

/// Indices of `values` by decreasing value, ties by increasing index.
std::vector<std::size_t> decreasing_order(std::span<const double> values);

/// A*: the k-th most attractive item at the k-th most terminating position (Sec. 2).
std::vector<Item> optimal_list(const Dcm& dcm);

/// The class B_LB of Sec. 4.3 with A* = the first K items: K items of attraction p, L - K of
/// attraction p - gap, termination gamma everywhere.
struct LowerBoundClass {
  std::size_t items = 0;
  std::size_t positions = 0;
  double p = 0;
  double gap = 0;
  double gamma = 0;
};

/// Throws InputError when the parameters describe no problem of the class.
Dcm make_dcm(const LowerBoundClass& parameters);

}  // namespace dcmrank
