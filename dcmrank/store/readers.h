#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/ledger/impression.h"
#include "dcmrank/ledger/model.h"
#include "dcmrank/ledger/query_state.h"
#include "dcmrank/store/sqlite.h"

namespace dcmrank::service {

std::vector<Model> read_models(Database& database);

/// Reads what was learned about queries. One thread at a time, as its connection.
class QueryReader {
 public:
  explicit QueryReader(Database& database);

  /// The id of a query in the database, 0 where it is not there; fills `state` where it is.
  std::int64_t load(std::int64_t model, std::string_view query, QueryState& state);
  std::int64_t find(std::int64_t model, std::string_view query);

  struct Summary {
    std::string name;
    std::uint64_t rounds;
  };
  /// Up to `limit` queries after the name `after`, by name.
  std::vector<Summary> list(std::int64_t model, std::string_view after, std::int64_t limit);

 private:
  Statement find_;
  Statement query_;
  Statement items_;
  Statement list_;
};

/// Reads impressions. One thread at a time.
class ImpressionReader {
 public:
  explicit ImpressionReader(Database& database);

  /// By the id that callers use.
  std::optional<Impression> find(std::string_view id);
  std::optional<Impression> find(std::uint64_t number);

  struct Named {
    std::string body;  // a hash of the request
    std::string answer;
  };
  /// The stored answer to a request that named its impression.
  std::optional<Named> named(std::string_view id);

 private:
  Statement find_;
  Statement number_;
  Statement named_;
};

/// Reads the columns of kImpressionColumns, in their order.
Impression read_impression(const Rows& row);
inline constexpr const char* kImpressionColumns =
    "number, word, model, query, made, news, state, seen, id, page, clicks, contribution, events";

}  // namespace dcmrank::service
