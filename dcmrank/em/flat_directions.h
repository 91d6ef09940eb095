#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/em/query_information.h"

namespace dcmrank {

/// Eliminates the variables of a quadratic form one after the other, as a Cholesky factor does.
/// Where nothing above 0 is left of one, the form is flat in a direction of it and those before:
/// that is noted, and the variable is held fixed for the rest.
class FlatElimination {
 public:
  /// `a` has n rows of n numbers, of which those above the diagonal are not looked at.
  FlatElimination(std::vector<double> a, std::size_t n);

  const std::vector<std::vector<double>>& directions() const { return directions_; }

  /// x becomes A^-1 x; 0 for those that are held fixed.
  void solve(std::span<double> x) const;

 private:
  void hold(std::size_t i);

  std::vector<double> lower_;
  std::vector<std::uint8_t> held_;
  std::vector<std::vector<double>> directions_;
};

/// Finds the parameters that a log does not identify: those that take part in a direction in which
/// it tells next to nothing beyond the prior (`slack`). Queries may be looked at in any order, and
/// are kept in turn.
class FlatDirections {
 public:
  /// What a query says: which of its own parameters are in doubt even if the shared ones were
  /// known, how its own follow the shared ones, and what is left of the information of these.
  struct OfQuery {
    std::vector<std::uint8_t> doubted;
    std::vector<float> slope;  // A^-1 B, by rows
    std::vector<double> shared;
  };

  explicit FlatDirections(std::size_t free)
      : free_(free), information_(free * free), left_(free * free) {}

  /// `information` is without the prior's.
  static OfQuery of_query(const QueryInformation& information, const EmPoint& point,
                          const Prior& prior);

  void keep(const QueryInformation& information, const OfQuery& query, std::span<const double> own);

  /// By parameter, as EmModel::start: whether it is in doubt. `shared` are all shared ones, `free`
  /// those that are estimated.
  std::vector<std::uint8_t> doubted(std::span<const double> shared,
                                    std::span<const std::size_t> free, const Prior& prior) const;

 private:
  std::size_t free_;
  std::vector<std::uint8_t> own_doubted_;
  std::vector<float> slopes_;
  std::vector<float> own_;           // the queries' parameters
  std::vector<double> information_;  // of the shared ones, as if all others were known
  std::vector<double> left_;         // the same, others being estimated
};

/// As much information as counts for nothing, beside `whole`: what the log would tell of the
/// parameter if all others were known.
double slack(double whole, double p, const Prior& prior);

}  // namespace dcmrank
