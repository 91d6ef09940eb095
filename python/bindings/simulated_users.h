#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "dcmrank/model/list_check.h"
#include "dcmrank/sim/run.h"
#include "dcmrank/users/problem.h"
#include "long_work.h"
#include "native_policy.h"

namespace dcmrank::python {

/// The users of one run of a problem, one after the other, and what was lost with them. One thread
/// at a time, as its policy.
class SimulatedUsers {
 public:
  SimulatedUsers(Problem problem, std::uint64_t seed, std::uint64_t run);

  Flags visit(const ArrayLike& ranking);
  Flags initial_sample() const;

  /// The library's loop: as many rounds with a policy of the registry.
  void play(NativePolicy& policy, std::uint64_t rounds, const Report& progress);

  const RunSoFar& so_far() const { return so_far_; }
  const Problem& problem() const { return problem_; }
  std::uint64_t seed() const { return seed_; }
  std::uint64_t run() const { return run_; }

  using State = std::tuple<Problem, std::uint64_t, std::uint64_t, std::uint64_t, double, double>;
  State state() const {
    return {problem_, seed_, run_, so_far_.step, so_far_.regret, so_far_.reward};
  }
  void resume(const RunSoFar& so_far) { so_far_ = so_far; }

 private:
  void check_free() const;

  Problem problem_;
  std::uint64_t seed_;
  std::uint64_t run_;
  AnyUsers users_;
  double best_;
  ListCheck check_;
  RunSoFar so_far_;
  bool busy_ = false;
  std::vector<Item> list_;            // scratch
  std::vector<std::uint8_t> clicks_;  // scratch
};

}  // namespace dcmrank::python
