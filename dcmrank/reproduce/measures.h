#pragma once

#include <span>
#include <string>
#include <vector>

#include "dcmrank/sim/statistics.h"

namespace dcmrank {

/// A value with its standard error, for tables and claims: "168.9 ± 2.7".
std::string text(const Summary& value);

/// a / b with its standard error, the two taken as independent.
Summary ratio(const Summary& a, const Summary& b);

/// Whether a is below b by more than twice the standard error of their difference.
bool clearly_below(const Summary& a, const Summary& b);

/// The least-squares line y = intercept + slope x and the share of the variance it explains.
struct Line {
  double intercept = 0;
  double slope = 0;
  double r_squared = 0;
};
Line fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace dcmrank
