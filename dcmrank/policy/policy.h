#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/model/counts.h"
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

/// A policy whose items may come and go. Where items come and go, what was learned is kept outside
/// the policy, as rows of numbers: one of item_row() numbers an item and one of position_row() a
/// position. Every update only adds to rows, so a row is a sum over the pairs that taught, and what
/// one pair added can be taken back.
/// - open: a policy over the `items` candidates of one request, which knows nothing yet. From then
///   on an item never observed has index 1, and ties follow the order of the items.
/// - put_round, put_item, put_position: what is known; add_prior: what the caller believes besides.
///   Rows from which something was taken back are brought into range.
/// - impose: completes a list that the caller chose, so that update can learn from it.
/// - get_item, get_position: the rows as they are now.
/// - score: what item e was worth at position k in the round that was ranked last.
/// - counts_in: what a row says of its item.
template <class P>
concept OpenPolicy = Policy<P> &&
    requires(P policy, const P& constant, std::size_t n, Item item, std::span<const double> row,
             std::span<double> out, const Counts& prior, Ranking& ranking) {
  { policy.open(n) } -> std::same_as<void>;
  { constant.item_row() } -> std::same_as<std::size_t>;
  { constant.position_row() } -> std::same_as<std::size_t>;
  { policy.put_round(std::uint64_t{n}) } -> std::same_as<void>;
  { policy.put_item(item, row) } -> std::same_as<void>;
  { policy.put_position(n, row) } -> std::same_as<void>;
  { policy.add_prior(item, prior) } -> std::same_as<void>;
  { constant.impose(ranking) } -> std::same_as<void>;
  { constant.get_item(item, out) } -> std::same_as<void>;
  { constant.get_position(n, out) } -> std::same_as<void>;
  { constant.score(item, n) } -> std::same_as<double>;
  { P::counts_in(row) } -> std::same_as<Counts>;
};

}  // namespace dcmrank
