#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "arrays.h"
#include "dcmrank/model/list_check.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/users/problem.h"

namespace dcmrank::python {

/// A policy of the registry with the generator that its choices come from. Lists of some policies
/// need more than their items when the clicks come (Ranking); Python holds plain arrays, so it is
/// remembered here until then. One thread at a time: held back by `busy` while its rounds are
/// played.
class NativePolicy {
 public:
  NativePolicy(PolicySpec spec, const Shape& shape, std::uint64_t seed);

  /// For a problem, of which its options may take what papers assume known (order=problem).
  NativePolicy(PolicySpec spec, Problem problem, std::uint64_t steps, std::uint64_t seed);

  Integers rank();
  /// `seen`: how many positions were on the screen, each with an entry of `clicks`; None: all.
  void update(const ArrayLike& ranking, const ArrayLike& clicks, nb::handle seen);
  bool wants_initial_sample() const { return !begun_ && policy_.wants_initial_sample(); }
  void observe_initial(const ArrayLike& attracted);

  /// dcmrank.policy-state (docs/formats.md) with the generator and the lists that wait for clicks.
  nlohmann::ordered_json save() const;
  explicit NativePolicy(const nlohmann::ordered_json& state);

  const PolicySpec& spec() const { return spec_; }
  const Shape& shape() const { return shape_; }

  /// For code that plays rounds with it. While `busy`, everything else is refused.
  AnyPolicy& policy() { return policy_; }
  Rng& rng() { return rng_; }
  bool begun() const { return begun_; }
  void set_busy(bool busy);
  void begin() { begun_ = true; }

 private:
  struct Waiting {
    Ranking ranking;
    nb::object array;  // as Python was given it; empty after loading
  };

  void check_free() const;
  bool remembers();
  Ranking take_waiting(nb::handle array);

  PolicySpec spec_;
  std::optional<Problem> problem_;
  Shape shape_;
  AnyPolicy policy_;
  Rng rng_;
  ListCheck check_;
  bool begun_ = false;
  bool busy_ = false;
  std::optional<bool> remembers_;  // found out when it matters
  std::deque<Waiting> waiting_;
  Ranking shown_;                    // scratch
  std::vector<std::uint8_t> flags_;  // scratch
};

}  // namespace dcmrank::python
