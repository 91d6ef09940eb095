#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/ledger/row.h"
#include "dcmrank/model/counts.h"
#include "dcmrank/policy/counting.h"
#include "dcmrank/registry/spec.h"
#include "dcmrank/traffic/client.h"
#include "dcmrank/traffic/worker.h"

namespace dcmrank::traffic {

/// What a policy keeps, as far as it can be recounted from outside.
struct Recount {
  bool sums = false;                 // T and S are sums of contributions: all but ranked ones
  std::optional<Counting> counting;  // if the clicks alone determine T and S
  bool contexts = false;             // pages and clicks of each item in each context
  bool bounded = false;              // B <= N: what is certain is never revised
};
Recount recount_of(const PolicySpec& spec, std::size_t positions);

/// What the pages of one query amount to. Monoid under merge.
struct Fold {
  std::uint64_t rounds = 0;
  std::vector<service::Row> contributed;  // T and S, by item: the sum of what the service shows
  std::vector<Counts> counted;            // the same, by what the users did
  std::vector<double> clicked;            // N, by position, by what the users did
  std::vector<service::Row> cells;        // by item, by what the users did in each context

  explicit Fold(const Query& query)
      : contributed(query.items.size()),
        counted(query.items.size()),
        clicked(query.dcm.positions()),
        cells(query.items.size()) {}
  void merge(const Fold& other);
};

/// Where the service and its users disagree.
struct Disagreements {
  std::uint64_t count = 0;
  std::vector<std::string> first;

  void add(std::string what);
  void merge(const Disagreements& other);
};

/// Compares what the service shows of one worker's pages with what the users did.
class PageChecker {
 public:
  /// `broke`: calls had no answer or 503, so that pages may have been lost.
  PageChecker(const Scene& scene, const Recount& recount, bool broke);

  void check(const Page& page, Client& client);

  const std::vector<Fold>& folds() const { return folds_; }
  const Disagreements& disagreements() const { return disagreements_; }
  std::uint64_t lost() const { return lost_; }

 private:
  void check_events(const Page& page);
  void add(const Page& page, const nlohmann::json& impression);

  const Scene* scene_;
  Recount recount_;
  bool broke_;
  std::chrono::steady_clock::time_point until_;  // all pages are closed
  std::vector<Fold> folds_;
  Disagreements disagreements_;
  std::uint64_t lost_ = 0;
};

/// Compares what was learned about each query with the sum over its pages.
void check_queries(const Scene& scene, const Recount& recount, const std::vector<Fold>& folds,
                   Client& client, Disagreements& disagreements);

}  // namespace dcmrank::traffic
