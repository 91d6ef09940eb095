// A generated stand-in for a search log, for those who have none at hand: recipe in
// docs/reproduction.md.
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/statistics.h"
#include "dcmrank/prediction/generate.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/reproduce/query_dcms.h"

namespace dcmrank {
namespace {

constexpr std::size_t kQueries = 25;
constexpr std::size_t kStandInPositions = 10;
constexpr std::uint64_t kImpressions = 100'000;

// One item stands out, as for a query that means one site; the others follow at random.
std::vector<FittedItem> make_items(Rng& rng) {
  std::vector<FittedItem> items(kStandInPositions + rng.below(11));
  for (std::size_t e = 0; e < items.size(); ++e) {
    items[e].item = fmt::format("item{}", e + 1);
    items[e].attraction = e == 0 ? 0.5 + 0.4 * rng.uniform() : 0.25 * std::pow(rng.uniform(), 2);
  }
  return items;
}

// The first position terminates most; below it there is no order.
std::vector<double> make_terminations(Rng& rng) {
  std::vector<double> terminations(kStandInPositions);
  for (double& v : terminations) v = 0.3 + 0.3 * rng.uniform();
  terminations[0] = 0.6 + 0.3 * rng.uniform();
  return terminations;
}

FittedModel make_users(Rng& rng) {
  FittedModel model;
  model.model = "dcm";
  model.positions = kStandInPositions;
  for (std::size_t q = 0; q < kQueries; ++q) {
    FittedQuery query;
    query.query = fmt::format("q{}", q + 1);
    query.impressions = 1 / static_cast<double>(q + 1);  // Zipf's law
    query.items = make_items(rng);
    query.lists["termination"].values = make_terminations(rng);
    model.queries.push_back(std::move(query));
  }
  return model;
}

}  // namespace

QueryDcms stand_in_queries(std::uint64_t seed, std::size_t most) {
  Rng rng(stream_key(Stream::kLog, seed, 0));
  const FittedModel users = make_users(rng);
  LogGenerator generator(users, RankingKind::kRandom, Rng(stream_key(Stream::kLog, seed, 1)));
  Statistics statistics;
  for (std::uint64_t i = 0; i < kImpressions; ++i) statistics.add(generator.next());
  QueryDcms result = most_frequent(statistics, most);
  result.source =
      fmt::format("a generated log of {} impressions (no real log was given)", kImpressions);
  result.generated = true;
  return result;
}

}  // namespace dcmrank
