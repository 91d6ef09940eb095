#include "dcmrank/bounds/bounds.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "dcmrank/index/kl_ucb.h"

namespace dcmrank {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<double> decreasing(std::vector<double> values) {
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

// Below three users log log n is negative, and nothing the paper proves holds; but no fewer users
// have more regret.
constexpr std::uint64_t kFewest = 3;

double log_log(std::uint64_t n) { return std::log(std::log(static_cast<double>(n))); }

// r in (a, b) with d(r, b) = target: d(., b) is convex and decreasing there. Newton, kept inside a
// bracket that shrinks from both sides.
double between(double a, double b, double target) {
  double low = a;
  double high = b;
  double r = (a + b) / 2;
  for (int step = 0; step < 200 && high - low > 1e-15 * b; ++step) {
    const double excess = bernoulli_kl(r, b) - target;
    (excess > 0 ? low : high) = r;
    const double slope = std::log(r / b) - std::log((1 - r) / (1 - b));
    const double newton = r - excess / slope;
    if (std::abs(newton - r) < 1e-16) break;
    r = newton > low && newton < high ? newton : (low + high) / 2;
  }
  return r;
}

// C2(epsilon) / n^beta(epsilon) for one pair of means.
double deviation_term(double a, double b, double log_n, double epsilon) {
  if (b >= 1) return 0;  // d(a, b) is infinite
  const auto [c2, beta] = deviation_constants(a, b, epsilon);
  return c2 * std::exp(-beta * log_n);
}

// Attractions from the highest down; items of equal attraction are looked at once, since the best
// epsilon is found by many tries.
class Attractions {
 public:
  explicit Attractions(const std::vector<double>& attraction) : sorted_(decreasing(attraction)) {
    for (std::size_t e = 0; e < sorted_.size(); ++e) {
      if (e == 0 || sorted_[e] != sorted_[e - 1]) runs_.push_back({e, e});
      ++runs_.back().end;
    }
  }

  std::size_t items() const { return sorted_.size(); }
  bool are_equal() const { return runs_.size() == 1; }

  // Calls `use(attraction, better, items)` for the items after the i-th most attractive one that
  // are worse than some of the first i; `better` is the least attractive of these that is better.
  // The paper takes the gap to the i-th, and has no term where there is none; but what ties with
  // the i-th can still take the place of a better one. Its proof sums over those whose place an
  // item takes, and holds with the last of them that has a gap.
  template <class Use>
  void below(std::size_t i, Use use) const {
    const auto first = std::partition_point(runs_.begin(), runs_.end(),
                                            [i](const Run& run) { return run.end <= i; });
    for (auto run = first; run != runs_.end(); ++run) {
      const std::size_t better = std::min(run->begin, i);
      if (better == 0) continue;
      use(sorted_[run->begin], sorted_[better - 1],
          static_cast<double>(run->end - std::max(run->begin, i)));
    }
  }

 private:
  struct Run {  // of equal attraction
    std::size_t begin;
    std::size_t end;
  };
  std::vector<double> sorted_;
  std::vector<Run> runs_;
};

bool all_equal(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

// Whether some i items are better than others.
bool tells(const Attractions& attractions, std::size_t i) {
  return i < attractions.items() && !attractions.are_equal();
}

double cascade_bound(const Attractions& attractions, std::size_t i, std::uint64_t steps,
                     double epsilon) {
  if (!tells(attractions, i)) return 0;
  steps = std::max(steps, kFewest);
  const double log_n = std::log(static_cast<double>(steps));
  double sum = 0;
  double deviation = 0;
  attractions.below(i, [&](double a, double b, double items) {
    const double gap = b - a;
    sum += items * (1 + epsilon) * gap * (1 + std::log(1 / gap)) / bernoulli_kl(a, b);
    deviation = std::max(deviation, deviation_term(a, b, log_n, epsilon));
  });
  const auto first = static_cast<double>(i);
  const auto all = static_cast<double>(attractions.items());
  return sum * paper_budget(steps) + first * all * deviation + 7 * first * log_log(steps);
}

// Calls use(i, v(i) - v(i + 1)) where it is above 0, terminations from the highest down, v(K + 1) =
// 0.
template <class Use>
void for_each_drop(const Dcm& dcm, Use use) {
  auto termination = decreasing(dcm.termination);
  termination.push_back(0);
  for (std::size_t i = 1; i <= dcm.positions(); ++i) {
    const double drop = termination[i - 1] - termination[i];
    if (drop > 0) use(i, drop);
  }
}

double sum_of_cascades(const Dcm& dcm, const Attractions& attractions, std::uint64_t steps,
                       double epsilon) {
  double sum = 0;
  bool differ = false;
  for_each_drop(dcm, [&](std::size_t i, double drop) {
    sum += drop * cascade_bound(attractions, i, steps, epsilon);
    differ = differ || tells(attractions, i);
  });
  if (!differ) return 0;
  return alpha(dcm) > 0 ? sum / alpha(dcm) : kInfinite;
}

// Theorem 2 is smooth in log epsilon with one valley on all but contrived problems: a grid finds
// the valley, a golden-section search its bottom.
double minimising_epsilon(const std::function<double(double)>& bound_at) {
  const auto bound = [&](double x) { return bound_at(std::exp(x)); };
  constexpr double kStep = 0.25;
  constexpr int kFirst = -48;  // epsilon from exp(-12) to exp(6)
  constexpr int kLast = 24;
  double best = kFirst * kStep;
  for (int i = kFirst; i <= kLast; ++i) {
    if (bound(i * kStep) < bound(best)) best = i * kStep;
  }
  constexpr double kRatio = 0.6180339887498949;
  double low = best - kStep;
  double high = best + kStep;
  while (high - low > 1e-9) {
    const double left = high - kRatio * (high - low);
    const double right = low + kRatio * (high - low);
    if (bound(left) < bound(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return std::exp((low + high) / 2);
}

}  // namespace

double alpha(const Dcm& dcm) {
  const double p_max = *std::max_element(dcm.attraction.begin(), dcm.attraction.end());
  return std::pow(1 - p_max, static_cast<double>(dcm.positions() - 1));
}

DeviationConstants deviation_constants(double a, double b, double epsilon) {
  const double divergence = bernoulli_kl(a, b);
  const double r = between(a, b, divergence / (1 + epsilon));
  const double back = bernoulli_kl(r, a);
  return {-1 / std::expm1(-back), (1 + epsilon) * back / divergence};
}

double proposition1(const Dcm& dcm, std::size_t i, std::uint64_t steps, double epsilon) {
  return cascade_bound(Attractions(dcm.attraction), i, steps, epsilon);
}

std::optional<double> theorem1(const Dcm& dcm, std::uint64_t steps, double epsilon) {
  if (!all_equal(dcm.termination)) return std::nullopt;
  const double gamma = dcm.termination[0];
  if (gamma == 0 || !tells(Attractions(dcm.attraction), dcm.positions())) return 0;
  const double cascade = proposition1(dcm, dcm.positions(), steps, epsilon);
  return alpha(dcm) > 0 ? gamma / alpha(dcm) * cascade : kInfinite;
}

double theorem2(const Dcm& dcm, std::uint64_t steps, double epsilon) {
  return sum_of_cascades(dcm, Attractions(dcm.attraction), steps, epsilon);
}

std::optional<double> theorem3(const Dcm& dcm) {
  const auto attraction = decreasing(dcm.attraction);
  const std::size_t best = dcm.positions();
  const double p = attraction.front();
  const double low = attraction.back();
  if (!all_equal(dcm.termination) || attraction[best - 1] != p || low == p) return std::nullopt;
  if (attraction[best] != low) return std::nullopt;
  const auto suboptimal = static_cast<double>(attraction.size() - best);
  return dcm.termination[0] * alpha(dcm) * suboptimal * (p - low) / bernoulli_kl(low, p);
}

Bounds bounds(const Dcm& dcm, std::uint64_t steps) {
  Bounds result;
  result.alpha = alpha(dcm);
  const Attractions attractions(dcm.attraction);
  const auto bound = [&](double epsilon) {
    return sum_of_cascades(dcm, attractions, steps, epsilon);
  };
  const double epsilon = result.alpha > 0 ? minimising_epsilon(bound) : 1;
  result.epsilon = bound(epsilon) < bound(1) ? epsilon : 1;  // 1 where it makes no difference
  for (std::size_t i = 1; i <= dcm.positions(); ++i) {
    result.proposition1.push_back(cascade_bound(attractions, i, steps, result.epsilon));
  }
  result.theorem1 = theorem1(dcm, steps, result.epsilon);
  result.theorem2 = bound(result.epsilon);
  result.lower_per_log_n = theorem3(dcm);
  for_each_drop(dcm, [&](std::size_t i, double) {
    result.lists_differ = result.lists_differ || tells(attractions, i);
  });
  return result;
}

}  // namespace dcmrank
