#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/ledger/learner.h"
#include "dcmrank/ledger/row.h"

namespace dcmrank::service {

/// Names a query. Everything that belongs to it is kept together.
struct QueryKey {
  std::int64_t model = 0;
  std::string query;

  auto operator<=>(const QueryKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Pages that teach a query; what comes after them changes nothing any more. A thousand a second
/// for 500 years. So whatever is learned can be exported, and imported again.
inline constexpr std::int64_t kMostRounds = std::int64_t{1} << 44U;

/// What is to be added to the sums of a query.
struct QueryDelta {
  std::int64_t rounds = 0;
  std::vector<Row> positions;
  std::map<std::string, Row, std::less<>> items;

  void add(const Page& page, const Contribution& contribution, int sign);
};

/// state += delta
void apply(QueryState& state, const QueryDelta& delta);

/// As a database holds it.
std::string encode(const QueryDelta& delta);
QueryDelta decode_delta(std::string_view bytes);

}  // namespace dcmrank::service
