#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/fit/interval.h"
#include "dcmrank/model/prior.h"
#include "dcmrank/page/report.h"

namespace dcmrank {

enum class Method : std::uint8_t { kCount, kEm };

/// "count" or "em", as files and commands say it.
const char* name_of(Method method);

struct FitOptions {
  Method method = Method::kCount;
  bool shared = false;  // all queries share the lists that each could have alone
  Prior prior;
  double tolerance = 1e-9;  // EM stops when about less is left to gain per impression
  std::size_t max_iterations = 2000;
  /// Of attractions, where the estimator has them; with them, what only the information tells to be
  /// unidentified.
  bool intervals = false;
  unsigned threads = 1;  // the result is the same for any number
  /// An E-step over fewer rows takes less time than to start a thread. Smaller for tests.
  std::size_t rows_for_threads = 50'000;
  std::stop_token stop;
};

/// An item of a query with its estimate and what it was estimated from: attraction is
/// (clicked + A) / (shown + A + B) for models fitted by counting.
struct FittedItem {
  std::string item;
  double attraction = 0;
  double shown = 0;  // impressions in which it was examined, as far as the method can tell
  double clicked = 0;
  double impressions = 0;          // all of them
  std::vector<double> parameters;  // the item parameters of the model, in its order
  /// The names of those, "attraction" among them, about which the log says nothing.
  std::vector<std::string> unidentified = {};
  /// An interval of the attraction of nominal coverage, if the estimator gave one.
  std::optional<Interval> interval = {};

  bool operator==(const FittedItem&) const = default;
};

/// The values of a list parameter, and the entries, counted from 1, about which the log says
/// nothing.
struct FittedList {
  std::vector<double> values;
  std::vector<std::size_t> unidentified;

  bool operator==(const FittedList&) const = default;
};

/// By parameter name.
using FittedLists = std::map<std::string, FittedList, std::less<>>;

struct FittedQuery {
  std::string query;
  double impressions = 0;
  std::vector<FittedItem> items;
  FittedLists lists;  // of its own

  bool operator==(const FittedQuery&) const = default;
};

/// How EM went. An iteration is one E-step; one that tried parameters which proved worse leaves
/// things as they were.
struct EmTrace {
  std::vector<double> log_likelihood;  // before the first iteration and after each
  std::vector<double> objective;       // the same with the prior's term: what EM raises
  double tolerance = 0;
  bool converged = false;

  std::size_t iterations() const { return objective.empty() ? 0 : objective.size() - 1; }
  bool operator==(const EmTrace&) const = default;
};

/// A fitted click model: what MODEL.json holds.
struct FittedModel {
  std::string model;
  std::string method;
  std::size_t positions = 0;
  Prior prior;
  std::vector<FittedQuery> queries;
  FittedLists lists;  // shared by all queries
  EmTrace em;
  LogReport log;
};

/// The list of that name, or one without values.
const FittedList& find_list(const FittedLists& lists, std::string_view name);

/// The query's own list, or the one that all share.
const FittedList& find_list(const FittedModel& model, const FittedQuery& query,
                            std::string_view name);

}  // namespace dcmrank
