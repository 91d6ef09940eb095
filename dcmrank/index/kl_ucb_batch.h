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
  alignas(64) Column observed{};
  alignas(64) Column attracted{};
  alignas(64) Column budget{};
  alignas(64) Column q{};
  alignas(64) Column log_q{};
  alignas(64) Column log_rest{};
  // Results of approach_indices.
  alignas(64) Column log_mean{};    // of attracted / observed
  alignas(64) Column log_failed{};  // of 1 less that
  alignas(64) Column error{};       // see approach_indices
};

/// q becomes kl_ucb(counts, budget), bit by bit.
void find_indices(KlUcbBatch& batch);

/// From a q near the index, q moves nearer (a step or two of Newton's method, which cost two
/// logarithms each), until what a tangent at q misses of the index is below 1e-9; where q is that
/// near already, it stays. `error` is then that of a tangent at q, for rounding; infinite where q
/// was too far away, or where the index does not move with the budget (nothing observed, a mean of
/// 1, a budget of 0). The bits depend on where it began: for bounds, not for comparing.
void approach_indices(KlUcbBatch& batch);

}  // namespace dcmrank
