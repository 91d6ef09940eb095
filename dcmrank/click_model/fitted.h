#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "dcmrank/log/report.h"
#include "dcmrank/model/prior.h"

namespace dcmrank {

enum class Method : std::uint8_t { kCount, kEm };

struct FitOptions {
  Method method = Method::kCount;
  bool shared_termination = false;
  Prior prior;
  double tolerance = 1e-9;  // EM stops when an iteration adds less per impression
  std::size_t max_iterations = 2000;
  std::stop_token stop;
};

/// An item of a query with its estimate and what it was estimated from: attraction is
/// (clicked + A) / (shown + A + B) for models that are counted.
struct FittedItem {
  std::string item;
  double attraction = 0;
  double satisfaction = 0;  // SDBN
  double shown = 0;         // impressions in which it was examined, as far as the method can tell
  double clicked = 0;
  double impressions = 0;  // all of them

  bool operator==(const FittedItem&) const = default;
};

struct FittedQuery {
  std::string query;
  double impressions = 0;
  std::vector<FittedItem> items;
  std::vector<double> termination;        // DCM with termination per query
  std::vector<std::size_t> unidentified;  // positions, from 1, whose termination nothing tells

  bool operator==(const FittedQuery&) const = default;
};

/// How EM went.
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
  std::vector<double> termination;        // DCM with shared termination
  std::vector<std::size_t> unidentified;  // of the shared termination
  std::vector<double> examination;        // PBM
  EmTrace em;
  LogReport log;
};

}  // namespace dcmrank
