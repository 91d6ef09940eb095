#include "dcmrank/em/flat_directions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dcmrank/numeric/cholesky.h"

namespace dcmrank {
namespace {

// Parameters that move less, in log-odds, than the one that moves most do not take part.
constexpr double kTakesPart = 0.02;

double log_odds_move(double move, double p) { return std::abs(move) / (p * (1 - p)); }

// Of what the log says nothing, or what is not free, there is no doubt here: nothing depends on it.
double without_slack(double whole, double p, const Prior& prior) {
  return !is_inside(p) || whole == 0 ? 1 : whole - slack(whole, p, prior);
}

void mark(std::span<const double> direction, std::span<const double> p,
          std::vector<std::uint8_t>& doubted) {
  double most = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (is_inside(p[i])) most = std::max(most, log_odds_move(direction[i], p[i]));
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!is_inside(p[i])) continue;
    if (log_odds_move(direction[i], p[i]) > kTakesPart * most) doubted[i] = 1;
  }
}

void eliminate_own(const QueryInformation& information, const EmPoint& point, const Prior& prior,
                   FlatDirections::OfQuery& result) {
  const std::size_t n = point.own.size();
  const std::size_t free = point.free.size();
  const bool dense = information.own.size() != n;
  std::vector<double> own = information.own;
  for (std::size_t i = 0; i < n; ++i) {
    double& diagonal = own[dense ? i * n + i : i];
    diagonal = without_slack(diagonal, point.own[i], prior);
  }
  const FlatElimination eliminated(dense ? std::move(own) : std::vector<double>(), dense ? n : 0);
  for (const auto& direction : eliminated.directions()) mark(direction, point.own, result.doubted);
  std::vector<double> column(n);
  for (std::size_t s = 0; s < free; ++s) {
    for (std::size_t i = 0; i < n; ++i) {
      column[i] = information.both[i * free + s] / (dense ? 1 : own[i]);
    }
    if (dense) eliminated.solve(column);
    for (std::size_t i = 0; i < n; ++i) {
      result.slope[i * free + s] = static_cast<float>(column[i]);
      for (std::size_t t = 0; t < free; ++t) {
        result.shared[t * free + s] -= information.both[i * free + t] * column[i];
      }
    }
  }
}

}  // namespace

FlatElimination::FlatElimination(std::vector<double> a, std::size_t n)
    : lower_(std::move(a)), held_(n, 0) {
  constexpr double kRounding = 1e-12;  // of what the diagonal was
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &lower_[i * n];
    double left = row[i];
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) row[j] -= row[k] * lower_[j * n + k];
      row[j] = held_[j] != 0 ? 0 : row[j] / lower_[j * n + j];
      left -= row[j] * row[j];
    }
    if (left > kRounding * std::abs(row[i])) {
      row[i] = std::sqrt(left);
    } else {
      hold(i);
    }
  }
}

// Moved by 1, with those before it where the form is least.
void FlatElimination::hold(std::size_t i) {
  const std::size_t n = held_.size();
  std::vector<double> direction(n, 0);
  direction[i] = 1;
  for (std::size_t j = i; j-- > 0;) {
    double sum = -lower_[i * n + j];
    for (std::size_t k = j + 1; k < i; ++k) sum -= lower_[k * n + j] * direction[k];
    direction[j] = sum / lower_[j * n + j];
  }
  directions_.push_back(std::move(direction));
  std::fill_n(lower_.begin() + static_cast<std::ptrdiff_t>(i * n), i, 0.0);
  lower_[i * n + i] = 1;
  held_[i] = 1;
}

void FlatElimination::solve(std::span<double> x) const {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (held_[i] != 0) x[i] = 0;
  }
  solve_both(lower_, x);
}

// EM ends a little beside the maximum, and the prior moves it: where a likelihood is constant along
// a curve, that leaves about as much information as the prior has, and less than a thousandth of
// the whole.
double slack(double whole, double p, const Prior& prior) {
  constexpr double kRelative = 1e-4;
  constexpr double kMost = 0.1;  // an item that was seen once is known a little
  constexpr double kPriors = 2;
  return std::max(
      0.0, std::min(kRelative * whole + kPriors * prior_information(prior, p), kMost * whole));
}

FlatDirections::OfQuery FlatDirections::of_query(const QueryInformation& information,
                                                 const EmPoint& point, const Prior& prior) {
  OfQuery result{std::vector<std::uint8_t>(point.own.size(), 0),
                 std::vector<float>(point.own.size() * point.free.size(), 0), information.shared};
  eliminate_own(information, point, prior, result);
  return result;
}

void FlatDirections::keep(const QueryInformation& information, const OfQuery& query,
                          std::span<const double> own) {
  own_doubted_.insert(own_doubted_.end(), query.doubted.begin(), query.doubted.end());
  slopes_.insert(slopes_.end(), query.slope.begin(), query.slope.end());
  for (const double p : own) own_.push_back(static_cast<float>(p));
  for (std::size_t s = 0; s < left_.size(); ++s) {
    information_[s] += information.shared[s];
    left_[s] += query.shared[s];
  }
}

std::vector<std::uint8_t> FlatDirections::doubted(std::span<const double> shared,
                                                  std::span<const std::size_t> free,
                                                  const Prior& prior) const {
  std::vector<std::uint8_t> result = own_doubted_;
  std::vector<double> form = left_;
  std::vector<double> p;
  for (std::size_t s = 0; s < free_; ++s) {
    p.push_back(shared[free[s]]);
    const double whole = information_[s * free_ + s];
    form[s * free_ + s] = whole == 0 ? 1 : form[s * free_ + s] - slack(whole, p[s], prior);
  }
  std::vector<std::uint8_t> of_free(free_, 0);
  const FlatElimination eliminated(std::move(form), free_);
  for (const auto& direction : eliminated.directions()) {
    mark(direction, p, of_free);
    double most = 0;
    for (std::size_t s = 0; s < free_; ++s)
      most = std::max(most, log_odds_move(direction[s], p[s]));
    for (std::size_t i = 0; i < result.size(); ++i) {
      double move = 0;
      for (std::size_t s = 0; s < free_; ++s) move += double{slopes_[i * free_ + s]} * direction[s];
      const double own = double{own_[i]};
      if (is_inside(own) && log_odds_move(move, own) > kTakesPart * most) result[i] = 1;
    }
  }
  result.resize(own_.size() + shared.size(), 0);
  for (std::size_t s = 0; s < free_; ++s) result[own_.size() + free[s]] = of_free[s];
  return result;
}

}  // namespace dcmrank
