#pragma once

#include <array>
#include <cstddef>

namespace dcmrank {

/// Several KL-UCB problems at once, for vector instructions, as columns. The search starts from
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
/// logarithms each), until a tangent at q misses the index by less than 1e-9; a q that is near
/// enough stays. `error` is then the rounding error of a tangent at q; infinite if q was too far
/// away, or if the index does not depend on the budget (nothing observed, a mean of 1, a budget of
/// 0). The bits depend on the start: for bounds, not for comparing.
void approach_indices(KlUcbBatch& batch);

}  // namespace dcmrank
