#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcmrank/ledger/checked_open_policy.h"
#include "dcmrank/ledger/query_state.h"
#include "dcmrank/model/termination_counts.h"

namespace dcmrank::service {

/// An item that competes for a place.
struct Candidate {
  std::string_view id;
  std::uint64_t hash = 0;  // id_hash(id)
  Counts prior;
};

/// A list as it was shown, with what its policy needs to learn from it: see Ranking.
struct Page {
  std::vector<std::string> items;
  std::vector<Item> proposed;  // as positions in `items`, from 0
  std::vector<double> gains;
};

/// What one page added to the state of its query: a round, and a row for each item shown and for
/// each position. Taking it back is subtracting it.
struct Contribution {
  std::vector<Row> items;
  std::vector<Row> positions;
  bool counted = false;  // it was a round

  bool operator==(const Contribution&) const = default;
};

/// A policy of the library over the open set of items of one query. It holds nothing between the
/// calls: what was learned is in a QueryState. What the policy may not do is a PolicyFault. One
/// thread at a time.
class Learner {
 public:
  /// Throws InputError if the policy cannot have `positions` positions.
  Learner(const PolicySpec& spec, std::size_t positions);

  /// Copies from `state` what the policy needs to rank the candidates. `shared`: what the queries
  /// of the model have in common; may be empty; `fitted` is its number.
  void take(const QueryState& state, std::span<const Candidate> candidates,
            std::span<const double> shared, std::uint64_t fitted);

  /// Whether what the policy made of rows that were taken is worth keeping, and keeps it.
  bool has_digests() const { return !taken_.empty(); }
  void keep_digests(QueryState& state, std::uint64_t fitted);

  /// The list of what was taken: items are candidates, by number.
  void rank(Rng& rng, Ranking& ranking);

  /// Makes `ranking` the list of the first candidates, as the caller gave them.
  void impose(Ranking& ranking) const;

  /// Of the candidate at a position of the list that was ranked last.
  double score(Item candidate, std::size_t position) const;
  double estimate(Item candidate);

  /// What a page and its clicks add to `state`.
  Contribution learn(const QueryState& state, const Page& page, Clicks clicks);

 private:
  std::size_t positions_;
  CheckedOpenPolicy policy_;
  std::vector<double> row_;
  struct Taken {
    Item candidate;
    std::size_t entry;
    std::uint32_t changes;
  };
  std::vector<Taken> taken_;  // rows without a digest
};

/// What item rows of many queries have in common; empty if the policy knows of no such thing.
std::vector<double> fit_shared(const PolicySpec& spec, std::size_t positions,
                               std::span<const Row> item_rows);

/// What a row says about its item.
Counts counts_in(const RowFamily& family, const Row& row);
TerminationCounts termination_in(const Row& row);

/// Which numbers the policy keeps. Throws InputError if it keeps none, so that it cannot serve.
RowFamily family_of(const PolicySpec& spec, std::size_t positions);

/// state += sign * contribution, except for items that were erased from the page.
void apply(QueryState& state, const Page& page, const Contribution& contribution, int sign);

/// Learners for one thread, made when they are first needed. What one holds grows with its
/// positions times the candidates that it ranked: there are many for short lists, or few for long
/// ones.
class LearnerRoom {
 public:
  Learner& get(const PolicySpec& spec, std::size_t positions);

 private:
  std::map<std::pair<std::string, std::size_t>, std::unique_ptr<Learner>, std::less<>> learners_;
  std::size_t positions_ = 0;  // of all of them
};

}  // namespace dcmrank::service
