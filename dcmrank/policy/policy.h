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

/// What a policy is. A value: copies are independent. One thread at a time.
///
/// - rank: the list for the next user, K different items; random choices come from `rng` alone.
///   Learns nothing. What the policy must remember with a list until its clicks come goes into the
///   Ranking beside the items.
/// - update: what the user did with a list that rank returned, possibly many rounds ago; it may
///   never come. This pair is all that a policy learns from. There is no reward here: it is not
///   observed.
///
/// That is all. Whatever follows is optional; asking for what a policy lacks is an error.
template <class P>
concept Policy = std::copyable<P> &&
    requires(P policy, Rng& rng, Ranking& ranking, const Ranking& shown, Clicks clicks) {
  { policy.rank(rng, ranking) } -> std::same_as<void>;
  { policy.update(shown, clicks) } -> std::same_as<void>;
};

/// Says in the compiler's message what a policy lacks.
template <class P>
constexpr bool check_policy() {
  static_assert(std::copyable<P>, "a policy is a value, to be copied and assigned");
  static_assert(
      requires(P policy, Rng & rng, Ranking & ranking) {
        { policy.rank(rng, ranking) } -> std::same_as<void>;
      },
      "a policy has `void rank(Rng&, Ranking&)` (policy/policy.h)");
  static_assert(
      requires(P policy, const Ranking& shown, Clicks clicks) {
        { policy.update(shown, clicks) } -> std::same_as<void>;
      },
      "a policy has `void update(const Ranking&, Clicks)` (policy/policy.h)");
  return Policy<P>;
}

/// What is meant to be a policy, even where it is not all there.
template <class P>
concept MeantAsPolicy = Policy<P> || requires {
  &P::rank;
} || requires {
  &P::update;
};

/// Optional: the free sample of every item of Algorithm 1, before the first list.
template <class P>
concept TakesInitialSample = Policy<P> &&
    requires(P policy, const P& constant, std::span<const std::uint8_t> sample) {
  { constant.wants_initial_sample() } -> std::same_as<bool>;
  { policy.observe_initial(sample) } -> std::same_as<void>;
};

/// Optional: all that was learned, as JSON. What save returns is the same before and after rank,
/// except for the lists that a policy counts itself (how far an initialisation has come); load is
/// given to a policy made with the same options, and throws InputError, naming the field, for what
/// save would not have written.
template <class P>
concept Savable = Policy<P> &&
    requires(P policy, const P& constant, const nlohmann::ordered_json& state) {
  { constant.save() } -> std::same_as<nlohmann::ordered_json>;
  { policy.load(state) } -> std::same_as<void>;
};

}  // namespace dcmrank
