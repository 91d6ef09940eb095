#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcmrank/fit/sample_tails.h"
#include "dcmrank/fit/statistics.h"

namespace dcmrank {

/// Which queries a model is fitted on.
struct QueryChoice {
  std::size_t top = SIZE_MAX;  // at most this many, the most frequent
  double min_impressions = 0;
};

struct SampleItem {
  std::string id;
  std::uint32_t query = 0;
  ItemCounts counts;
  std::vector<ContextCounts> contexts;  // if they were asked for
};

struct SampleQuery {
  std::string id;
  QueryCounts counts;
  std::size_t begin = 0;  // of its items
  std::size_t end = 0;
};

/// Statistics in an order that does not depend on how the log was read: queries by decreasing
/// impressions, then by id; the items of a query likewise. The input of estimators.
struct Sample {
  std::vector<SampleQuery> queries;
  std::vector<SampleItem> items;  // of all queries, one query after the other
  std::size_t positions = 0;      // of the longest list
  /// All tails of these queries, in these numbers; absent if nobody asked for them.
  SampleTails tails;
};

/// The order of a sample, by the numbers of its statistics.
struct SampleOrder {
  std::vector<std::uint32_t> queries;
  std::vector<std::uint32_t> query_of;  // for every number its place in `queries`, or Tail::kNone
  std::vector<std::uint32_t> items;     // of all queries, one query after the other
  std::vector<std::size_t> begin;       // of the items of each query, and their end
  std::size_t positions = 0;            // of the longest list
};

SampleOrder order_of(const CountsTable& counts, const QueryChoice& selection);

/// The queries from `first` to before `end` alone, without tails; in their own numbers.
Sample piece_of_sample(const Statistics& statistics, const SampleOrder& order, std::size_t first,
                       std::size_t end);

/// Queries outside the selection are left out as if they were not in the log. If the statistics
/// hold tails (and these did not overflow), so does the sample.
Sample make_sample(const Statistics& statistics, const QueryChoice& selection);

/// The tails of a log, read from its files each time: for logs with more distinct tails than memory
/// should hold. Refers to the sample's queries and items as they are now.
SampleTails tails_of_log(const Log& log, const ReadControl& control, TailKind kind,
                         const Sample& sample);

}  // namespace dcmrank
