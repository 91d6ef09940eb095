#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "dcmrank/model/dcm.h"

namespace dcmrank {

/// The DCM of one query of a log, estimated as in Guo et al. 2009.
struct QueryDcm {
  std::string query;
  std::uint64_t impressions = 0;
  Dcm dcm;
};

/// The most frequent queries of a log, by decreasing frequency.
struct QueryDcms {
  std::vector<QueryDcm> queries;
  std::string source;      // for captions: the log's name, or how it was generated
  bool generated = false;  // a stand-in: every figure made from it must say so
};

/// The paper's number of queries.
inline constexpr std::size_t kPaperQueries = 20;

/// Fewer say nothing about "most queries", or about an average over queries.
inline constexpr std::size_t kFewestQueries = 5;

struct Log;
class Statistics;

/// The DCMs of the `most` most frequent queries of a log that have two items and two positions to
/// rank. Throws InputError if it has none.
QueryDcms most_frequent(const Statistics& statistics, std::size_t most);

/// The same for a log that is read now.
QueryDcms read_queries(const Log& log, const std::string& path, std::size_t most,
                       const std::stop_token& stop);

/// The same for a generated log, for those who have none at hand (docs/reproduction.md has the
/// recipe): users of known DCMs on 20 queries.
QueryDcms stand_in_queries(std::uint64_t seed, std::size_t most);

}  // namespace dcmrank
