#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dcmrank/model/counts.h"
#include "dcmrank/policy/policy.h"

namespace dcmrank {

/// Of looks and clicks that were counted on so many pages, give or take `slack`.
inline std::string_view count_fault(double looks, double clicks, double pages, double slack = 0) {
  if (clicks < 0) return "clicks are below 0";
  if (looks < clicks - slack) return looks < 0 ? "looks are below 0" : "clicks are above looks";
  if (looks > pages + slack) return "looks are above rounds";
  return "";
}

/// For families without rows of positions.
inline std::string_view no_numbers(std::span<const double> row, double /*pages*/) {
  return row.empty() ? "" : "this policy keeps no numbers of positions";
}

/// Which numbers the rows of a policy hold. Policies of one family read each other's rows.
struct RowFamily {
  std::string_view name;
  Counts (*counts_in)(std::span<const double> row);  // what a row says about its item
  bool has_terminations;     // a position's row begins with TerminationCounts
  bool only_counts = false;  // numbers of pages and clicks: counts_in says of a difference, too,
                             // what it counts
  /// What the row of an item, or of a position, cannot be as a sum over so many pages, in words;
  /// empty where it can be. Without such a function anything can be. What holds for two sums holds
  /// for theirs. Zeros at a row's end may be missing, but for its first 4 numbers.
  using Fault = std::string_view (*)(std::span<const double> row, double pages);
  Fault item_fault = nullptr;
  Fault position_fault = nullptr;
  bool proven = false;  // that a page adds nothing impossible: the faults are not asked after each

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

/// Says in the compiler's message which function of an OpenPolicy is missing, or is another.
template <class P>
constexpr bool check_open_policy() {
  using Row = std::span<const double>;
  using Out = std::span<double>;
  static_assert(Policy<P>, "an open view is a policy, too: rank and update (policy/policy.h)");
  static_assert(
      requires {
        { P::family() } -> std::same_as<RowFamily>;
      },
      "an open view has `static RowFamily family()`");
  static_assert(
      requires(P policy, std::size_t n) {
        { policy.open(n) } -> std::same_as<void>;
      },
      "an open view has `void open(std::size_t)`");
  static_assert(
      requires(const P& policy) {
        { policy.item_row() } -> std::same_as<std::size_t>;
        { policy.position_row() } -> std::same_as<std::size_t>;
      },
      "an open view has `std::size_t item_row() const` and `std::size_t position_row() const`");
  static_assert(
      requires(P policy, std::uint64_t t, Item item, std::size_t k, Row row) {
        { policy.put_round(t) } -> std::same_as<void>;
        { policy.put_item(item, row) } -> std::same_as<void>;
        { policy.put_position(k, row) } -> std::same_as<void>;
      },
      "an open view has `void put_round(std::uint64_t)`, `void put_item(Item, "
      "std::span<const double>)` and `void put_position(std::size_t, std::span<const double>)`");
  static_assert(
      requires(P policy, Item item, const Counts& prior) {
        { policy.add_prior(item, prior) } -> std::same_as<void>;
      },
      "an open view has `void add_prior(Item, const Counts&)`");
  static_assert(
      requires(const P& policy, Ranking& ranking) {
        { policy.impose(ranking) } -> std::same_as<void>;
      },
      "an open view has `void impose(Ranking&) const`");
  static_assert(
      requires(const P& policy, Item item, std::size_t k, Out row) {
        { policy.get_item(item, row) } -> std::same_as<void>;
        { policy.get_position(k, row) } -> std::same_as<void>;
      },
      "an open view has `void get_item(Item, std::span<double>) const` and `void "
      "get_position(std::size_t, std::span<double>) const`");
  static_assert(
      requires(const P& policy, Item item, std::size_t k) {
        { policy.score(item, k) } -> std::same_as<double>;
      },
      "an open view has `double score(Item, std::size_t) const`");
  return OpenPolicy<P>;
}

/// Optional: says itself what item e's attraction is taken for. Without it that is the posterior
/// mean of the counts in the item's row (RowFamily).
template <class P>
concept Estimates = OpenPolicy<P> && requires(P policy, Item item) {
  { policy.estimate(item) } -> std::same_as<double>;
};

/// Optional: a policy for which the queries of a model have something in common that no row of a
/// query holds, such as how users look at positions. It is a row too, but nothing is added to it:
/// it is derived from the rows of many items, and can be derived again at any time.
///
/// - fit_shared: from item rows of any queries, each (query, item) pair a row of its own. Rows may
///   be of any length: missing numbers are 0. The same for the same rows in the same order.
/// - put_shared: what fit_shared returned, once in every request, after open. Without it the policy
///   knows what it knows where there are no rows at all.
/// - shared_row: how many numbers that are. A row of a policy with fewer positions is the beginning
///   of one with more, and put_shared takes both; so it is with the rows of items.
template <class P>
concept Shares = OpenPolicy<P> && requires(P policy, const P& constant, std::span<const double> row,
                                           std::span<const std::span<const double>> item_rows) {
  { constant.shared_row() } -> std::same_as<std::size_t>;
  { policy.put_shared(row) } -> std::same_as<void>;
  { constant.fit_shared(item_rows) } -> std::same_as<std::vector<double>>;
};

/// Optional: what the policy makes of an item's row before it ranks can be kept and given back
/// instead of the row, as long as neither the row nor what is shared has changed.
template <class P>
concept Digests = OpenPolicy<P> && requires(P policy, const P& constant, Item item,
                                            std::span<const double> digest, std::span<double> out) {
  { constant.digest_size() } -> std::same_as<std::size_t>;
  { policy.put_digest(item, digest) } -> std::same_as<void>;
  { policy.get_digest(item, out) } -> std::same_as<void>;
};

/// Optional: a policy that can serve items that come and go has a view of itself that does.
template <class P>
concept Opens = Policy<P> && requires(const P& constant) {
  { constant.open_view() } -> OpenPolicy;
};

/// Whether it has no view, or all of one.
template <class P>
constexpr bool opens_wholly() {
  if constexpr (requires(const P& constant) { constant.open_view(); }) {
    return check_open_policy<decltype(std::declval<const P&>().open_view())>();
  }
  return true;
}

}  // namespace dcmrank
