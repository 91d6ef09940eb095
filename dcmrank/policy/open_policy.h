#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dcmrank/model/counts.h"
#include "dcmrank/policy/policy.h"

namespace dcmrank {

/// Which numbers the rows of a policy hold. Policies of one family read each other's rows.
struct RowFamily {
  std::string_view name;
  Counts (*counts_in)(std::span<const double> row);  // what a row says about its item
  bool has_terminations;  // a position's row begins with TerminationCounts

  bool operator==(const RowFamily& other) const { return name == other.name; }
};

/// A policy over items that come and go, as in a service. What was learned is kept outside it, as
/// rows of numbers: one of item_row() numbers per item and one of position_row() per position.
/// Every update only adds to rows, so a row is a sum over (list, clicks) pairs, and what one pair
/// added can be taken back.
///
/// - open: begins a request with `n` candidates, about which nothing is known yet. An item never
///   observed has index 1, and ties follow the order of the candidates.
/// - put_round, put_item, put_position: what is known; add_prior: what the caller believes in
///   addition. Rows from which something was taken back are brought into range.
/// - rank, update: as for any policy.
/// - impose: completes a list that the caller chose, so that update can learn from it.
/// - get_item, get_position: the rows as they are now.
/// - score: what item e was worth at position k in the round that was ranked last.
template <class P>
concept OpenPolicy = Policy<P> &&
    requires(P policy, const P& constant, std::size_t n, Item item, std::span<const double> row,
             std::span<double> out, const Counts& prior, Ranking& ranking) {
  { P::family() } -> std::same_as<RowFamily>;
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
};

/// Optional: a policy that can serve items that come and go has a view of itself that does.
template <class P>
concept Opens = Policy<P> && requires(const P& constant) {
  { constant.open_view() } -> OpenPolicy;
};

}  // namespace dcmrank
