#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcmrank/prediction/parameters.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {

enum class RankingKind : std::uint8_t {
  kRandom,   // any K items of the query, in any order
  kOptimal,  // the most attractive ones, at the positions that the model ranks highest
};

/// Draws impressions from a fitted model: a query by its frequency, a list, and clicks, one
/// position after the other, from the conditional probabilities. Refers to the model. The same
/// generator state gives the same impressions. Throws InputError if the model has no item, or gives
/// what is no probability; `path` is its file, for messages.
class LogGenerator {
 public:
  LogGenerator(const FittedModel& model, RankingKind ranking, Rng rng, std::string path = {});

  /// Valid until the next call.
  Impression next();

 private:
  struct Query {
    Id id;
    std::vector<Id> items;
    std::vector<std::uint32_t> order;  // of items; the first ones are shown
    std::size_t positions = 0;
    double until = 0;  // cumulative share of the impressions
  };

  void add_query(const FittedModel& model, const FittedQuery& query, double until);
  void shuffle(Query& query);
  void click(const Impression& impression);

  ModelParameters parameters_;
  RankingKind ranking_;
  Rng rng_;
  std::vector<Query> queries_;
  std::vector<Id> items_;
  std::vector<std::uint8_t> clicks_;
  PageParameters page_;
  std::vector<double> p_;
};

}  // namespace dcmrank
