#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace dcmrank {

/// Mean and standard error of the mean.
struct Summary {
  double mean = 0;
  double stderr_ = 0;  // not a number for a single value, which has none

  bool has_error() const;
};

Summary summarise(std::span<const double> values);

/// A value with its standard error, for tables and claims: "168.9 ± 2.7", with at least `digits`
/// after the point (by default as the value's size asks), and enough to show the error.
std::string text(const Summary& value);
std::string text(const Summary& value, int digits);
/// The same with as many digits as the error tells: two of it.
std::string text_by_error(const Summary& value);

// Run r of all policies meets the same users (on other problems, users made from the same draws).
// So values of one run belong together, and comparisons are made run by run: the error of a
// difference is that of the differences, not that of two independent means.

/// The mean of a[r] - b[r] over the runs r. Both have one value per run.
Summary paired_difference(std::span<const double> a, std::span<const double> b);

/// mean(a) / mean(b); its error by the delta method over the pairs, that is
/// stderr(a[r] - ratio b[r]) / |mean(b)|.
Summary paired_ratio(std::span<const double> a, std::span<const double> b);

/// Any estimate from n runs, with its error by the jackknife. `estimate(r)` is the estimate from
/// all runs but run r, `estimate(n)` that from all of them.
Summary jackknife(std::size_t n, const std::function<double(std::size_t)>& estimate);

}  // namespace dcmrank
