#pragma once

#include <array>
#include <cstddef>

namespace dcmrank {

/// Several KL-UCB problems at once, for vector instructions, as columns. Where to go on from is
/// (q, log_q, log_rest): a number in (0, 1) near the index, log q and log(1 - q).
struct KlUcbBatch {
  static constexpr std::size_t kRoom = 64;
  using Column = std::array<double, kRoom>;

  std::size_t size = 0;
  double width = 0;  // of the bounds at which find_tangents takes q as it is
  alignas(64) Column observed{};
  alignas(64) Column attracted{};
  alignas(64) Column budget{};
  alignas(64) Column q{};
  alignas(64) Column log_q{};
  alignas(64) Column log_rest{};
  // Results of find_tangents.
  alignas(64) Column height{};     // of the tangent at the budget
  alignas(64) Column slope{};      // of the tangent
  alignas(64) Column curvature{};  // see find_tangents
  alignas(64) Column error{};      // of the tangent; infinite where there is none
};

/// q becomes kl_ucb(counts, budget), bit by bit.
void find_indices(KlUcbBatch& batch);

/// From a q near the index: q moves nearer (a step or two of Newton's method, which cost two
/// logarithms each), unless the bounds would be within `width`, and the tangent of the index, as a
/// function of the budget, is found where the index is q. With U the index and up the tangent at
/// any one budget, and x = up - q: U <= up + error, and where curvature * |x| <= 1/8 also up -
/// curvature * x^2 - error <= U. Where the index does not move with the budget (nothing observed, a
/// mean of 1, a budget of 0), or q was too far from it, the error is infinite. The bits depend on
/// where it began: for bounds, not for comparing.
void find_tangents(KlUcbBatch& batch);

}  // namespace dcmrank
