#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/model/interaction.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {

/// The size of a learning problem, which is all that a policy knows of it.
struct Shape {
  std::size_t items = 0;      // L
  std::size_t positions = 0;  // K
  std::uint64_t horizon = 0;  // n, for policies that need to know it (Exp3)
};

/// What every policy offers. A policy is a value: copies are independent. One thread at a time.
///
/// - rank: the list for the next user; random choices come from `rng` alone. Learns nothing: what
///   save() returns is the same before and after.
/// - update: what the user did with a list that rank returned, possibly several rounds ago. This
///   pair is the only thing that ever teaches. There is no reward here: it is unobserved.
/// - wants_initial_sample / observe_initial: the free sample of every item of Algorithm 1.
/// - save / load: the whole learned state; load is given to a policy made with the same options.
template <class P>
concept Policy = std::copyable<P> &&
    requires(P policy, const P& constant, Rng& rng, Ranking& ranking, const Ranking& shown,
             Clicks clicks, std::span<const std::uint8_t> sample,
             const nlohmann::ordered_json& state) {
  { policy.rank(rng, ranking) } -> std::same_as<void>;
  { policy.update(shown, clicks) } -> std::same_as<void>;
  { constant.wants_initial_sample() } -> std::same_as<bool>;
  { policy.observe_initial(sample) } -> std::same_as<void>;
  { constant.save() } -> std::same_as<nlohmann::ordered_json>;
  { policy.load(state) } -> std::same_as<void>;
};

}  // namespace dcmrank
