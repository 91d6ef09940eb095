#include "dcmrank/policy/pbm_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "dcmrank/numeric/elementary.h"
#include "dcmrank/policy/state.h"

namespace dcmrank {
namespace {

// The logarithm of the posterior's density, but for a constant, and its first two derivatives.
struct LogDensity {
  double value = 0;
  double slope = 0;
  double bend = 0;
};

// w in (0, 1). Chances of no click are kept from 0, where one more skip would be impossible.
LogDensity log_density(std::span<const Counts> counts, std::span<const double> examination,
                       double w) {
  constexpr double kLeast = 1e-12;
  LogDensity sum;
  double clicks = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    clicks += counts[k].attracted;
    const double skips = counts[k].observed - counts[k].attracted;
    if (skips == 0) continue;
    const double none = std::max(kLeast, 1 - examination[k] * w);
    const double part = examination[k] / none;
    sum.value += skips * same_log(none);
    sum.slope -= skips * part;
    sum.bend -= skips * part * part;
  }
  if (clicks > 0) {
    sum.value += clicks * same_log(w);
    sum.slope += clicks / w;
    sum.bend -= clicks / (w * w);
  }
  return sum;
}

constexpr double kLeastChance = 1e-9;
constexpr double kMostChance = 1 - 1e-9;

// Where a decreasing slope is 0, or the end nearest to that: Newton's steps, halving where they
// leave the bracket.
template <class Density>
double highest_point(Density density) {
  double low = kLeastChance;
  double high = kMostChance;
  if (density(low).slope <= 0) return low;
  if (density(high).slope >= 0) return high;
  double w = .5;
  for (int i = 0; i < 100 && high - low > 1e-12; ++i) {
    const LogDensity at = density(w);
    (at.slope > 0 ? low : high) = w;
    double next = at.bend < 0 ? w - at.slope / at.bend : low;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::abs(next - w) < 1e-9 * w) return next;
    w = next;
  }
  return w;
}

}  // namespace

// The tangent at `point` reaches the height of the top at `from`.
AttractionPosterior::Side AttractionPosterior::make_side(double point, double below_top,
                                                         double slope, double top, double end) {
  Side side;
  side.slope = slope;
  const double distance = std::max(0.0, std::abs(point - top) - below_top / slope);
  side.from = point > top ? top + distance : top - distance;
  side.length = std::abs(end - side.from);
  side.mass = -same_expm1(-slope * side.length) / slope;
  return side;
}

void AttractionPosterior::fit(std::span<const Counts> counts, std::span<const double> examination) {
  const auto density = [&](double w) { return log_density(counts, examination, w); };
  top_ = highest_point(density);
  const LogDensity at_top = density(top_);
  highest_ = at_top.value;
  left_ = {0, 0, top_, 0};
  right_ = {1, 0, 1 - top_, 0};
  // Tangents where they hug a bell best, or, where the density falls from an end, an exponential.
  const double width = std::min(std::sqrt(2 / std::max(-at_top.bend, 1e-9)),
                                1 / std::max(std::abs(at_top.slope), 1e-9));
  if (top_ > kLeastChance) {
    const double point = std::max(top_ - width, top_ / 2);
    const LogDensity at = density(point);
    if (at.slope > 0) left_ = make_side(point, highest_ - at.value, at.slope, top_, 0);
  }
  if (top_ < kMostChance) {
    const double point = std::min(top_ + width, (1 + top_) / 2);
    const LogDensity at = density(point);
    if (at.slope < 0) right_ = make_side(point, highest_ - at.value, -at.slope, top_, 1);
  }
}

// By inversion; log_bound becomes the tangent's height there, relative to the top.
double AttractionPosterior::draw_side(const Side& side, double u, double direction,
                                      double& log_bound) {
  const double far = -same_expm1(-side.slope * side.length);
  const double distance = std::min(-same_log1p(-u * far) / side.slope, side.length);
  log_bound = -side.slope * distance;
  return side.from + direction * distance;
}

double AttractionPosterior::draw(std::span<const Counts> counts,
                                 std::span<const double> examination, CounterRng& rng) const {
  const double middle = right_.from - left_.from;
  for (;;) {
    const double mass = rng.inside() * (left_.mass + middle + right_.mass);
    const double u = rng.inside();
    double log_bound = 0;
    double w = 0;
    if (mass < left_.mass) {
      w = draw_side(left_, u, -1, log_bound);
    } else if (mass < left_.mass + right_.mass) {
      w = draw_side(right_, u, 1, log_bound);
    } else {
      w = left_.from + u * middle;
    }
    w = std::clamp(w, kLeastChance, kMostChance);
    const double height = log_density(counts, examination, w).value - highest_;
    if (same_log(rng.inside()) <= height - log_bound) return w;
  }
}

PbmPolicy::PbmPolicy(const Shape& shape, std::vector<double> examination)
    : examination_(std::move(examination)),
      order_(top_down(examination_.size())),
      counts_(shape.items * examination_.size()),
      posteriors_(shape.items),
      scored_(shape.items) {
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return examination_[a] > examination_[b]; });
  for (Item e = 0; e < shape.items; ++e) posteriors_[e].fit(row(e), examination_);
}

void PbmPolicy::rank(Rng& rng, Ranking& ranking) {
  const std::uint64_t key = rng();
  for (Item e = 0; e < posteriors_.size(); ++e) {
    CounterRng draws(subkey(key, e));
    scored_[e] = {posteriors_[e].draw(row(e), examination_, draws), e};
  }
  place(scored_, order_, TieBreak(key), ranking.items);
}

void PbmPolicy::update(const Ranking& shown, Clicks clicks) {
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    const Item e = shown.items[k];
    row(e)[k].add(clicks[k] != 0);
    posteriors_[e].fit(row(e), examination_);
  }
}

nlohmann::ordered_json PbmPolicy::save() const { return {{"counts", counts_to_json(counts_)}}; }

void PbmPolicy::load(const nlohmann::ordered_json& state) {
  counts_from_json(state, counts_);
  for (Item e = 0; e < posteriors_.size(); ++e) posteriors_[e].fit(row(e), examination_);
}

}  // namespace dcmrank
