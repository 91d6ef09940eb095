#pragma once

#include <span>

namespace dcmrank {

/// Mean and standard error of the mean. The error is 0 for a single value.
struct Summary {
  double mean = 0;
  double stderr_ = 0;
};

Summary summarise(std::span<const double> values);

}  // namespace dcmrank
