#include "dcmrank/browsing/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dcmrank/numeric/cholesky.h"
#include "dcmrank/numeric/elementary.h"

namespace dcmrank {
namespace {

constexpr int kSweeps = 12;
constexpr double kContextPrior = 4;  // looks that the prior of an examination is worth
constexpr double kLeastPivot = .25;
constexpr int kSweepsFirst = 2;     // before scales are looked at
constexpr double kLongestStep = 1;  // of the logarithm of a scale

double overall_rate(const SeenTable& table, const std::vector<double>& g) {
  WeightedSums all;
  for (const Item e : table.seen()) {
    for (const SeenCell& cell : table.row(e)) {
      all.merge({cell.clicked, cell.shown * g[cell.context]});
    }
  }
  return all.looks > 0 ? std::min(1.0, all.clicks / all.looks) : .5;
}

void fit_contexts(const std::vector<WeightedSums>& sums, std::size_t positions, double most,
                  std::vector<double>& g) {
  for (std::size_t k = 1; k < positions; ++k) {
    WeightedSums all;
    for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b) all.merge(sums[b]);
    // Never 0, which would leave clicks without an explanation.
    const double pooled = std::min(most, (all.clicks + 1) / (all.looks + 1));
    for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b) {
      g[b] = std::min(most,
                      (sums[b].clicks + kContextPrior * pooled) / (sums[b].looks + kContextPrior));
    }
  }
}

void sweep(const SeenTable& table, double most, std::vector<double>& g, std::vector<double>& w,
           std::vector<WeightedSums>& sums) {
  const double prior = overall_rate(table, g);
  sums.assign(g.size(), {});
  for (const Item e : table.seen()) {
    const auto row = table.row(e);
    w[e] = next_attraction(row, g, w[e], prior);
    for (const SeenCell& cell : row) {
      const double omega = click_weight(w[e] * g[cell.context]);
      sums[cell.context].merge({omega * cell.clicked, omega * cell.shown * w[e]});
    }
  }
  fit_contexts(sums, table.positions(), most, g);
}

// Of nothing: each scale is known as if by one click.
void begin_doubt(std::size_t n, BrowsingFit& fit) {
  fit.root.assign(n * n, 0);
  for (std::size_t k = 0; k < n; ++k) fit.root[k * n + k] = 1;
}

// What the looks at an item, of which `at` has those of each position, say about the scales.
void tell_doubt(std::span<const WeightedSums> at, const WeightedSums& all, BrowsingFit& fit) {
  const std::size_t n = at.size() - 1;
  for (std::size_t k = 0; k < n; ++k) {
    const double h = at[k + 1].looks;
    fit.root[k * n + k] += h;
    for (std::size_t l = 0; l <= k; ++l) fit.root[k * n + l] -= h * at[l + 1].looks / all.looks;
  }
}

void end_doubt(std::size_t n, BrowsingFit& fit) {
  take_root(fit.root, n, [](double left, double) { return std::max(left, kLeastPivot); });
}

// What is known of items; the doubt about the scales of positions, and the slope of the likelihood
// by them, attractions following, from contexts examined less than `most`.
void find_doubt(const SeenTable& table, double most, BrowsingFit& fit) {
  const std::size_t n = table.positions() - 1;
  begin_doubt(n, fit);
  fit.slope.assign(n, 0);
  std::vector<WeightedSums>& at = fit.at_position;
  at.resize(table.positions());
  if (table.empty()) return;
  for (const Item e : table.seen()) {
    const auto row = table.row(e);
    const auto [known, all] = look_at(row, fit.examination, fit.attraction[e], most, at);
    fit.known[e] = known;
    if (!(all.looks > 0)) continue;
    for (std::size_t k = 0; k < n; ++k) {
      fit.share[e * n + k] = share(at[k + 1], all);
      fit.slope[k] += at[k + 1].clicks - share(at[k + 1], all) * all.clicks;
    }
    tell_doubt(at, all, fit);
  }
  end_doubt(n, fit);
}

// Looks at what is nearly certain to be clicked say much, but only if it is: where the scale of a
// position was fitted too high, from a few lucky clicks, so was that certainty. So the doubt is
// that of scales that are lower, by half of what they may be off.
void widen_doubt(const SeenTable& table, BrowsingFit& fit) {
  constexpr double kMayBeOff = 3;  // standard deviations
  const std::size_t n = table.positions() - 1;
  for (std::size_t k = 0; k < n; ++k) {
    fit.slope.assign(n, 0);
    fit.slope[k] = 1;
    solve_both(fit.root, fit.slope);
    fit.lower[k + 1] = same_exp(-kMayBeOff / 2 * std::sqrt(fit.slope[k]));
  }
  begin_doubt(n, fit);
  for (const Item e : table.seen()) {
    WeightedSums all;
    std::fill(fit.at_position.begin(), fit.at_position.end(), WeightedSums{});
    for (const SeenCell& cell : table.row(e)) {
      const double click =
          std::min(kMostCertain, fit.attraction[e] * fit.examination[cell.context]) *
          fit.lower[cell.position];
      const WeightedSums here{0, click_weight(click) * click * cell.shown};
      all.merge(here);
      fit.at_position[cell.position].merge(here);
    }
    if (all.looks > 0) tell_doubt(fit.at_position, all, fit);
  }
  end_doubt(n, fit);
}

// How much the examination of a position may be multiplied by: until one of its contexts, of which
// enough was seen, is examined the most that is possible.
double room_to_rise(const BrowsingFit& fit, std::size_t k, double most) {
  constexpr double kEnough = .125;
  double looks = 0;
  double highest = 0;
  for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b)
    looks += fit.sums[b].looks;
  for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b) {
    if (fit.sums[b].looks >= kEnough * looks) highest = std::max(highest, fit.examination[b]);
  }
  return highest > 0 ? most / highest : 1;
}

// Sweeps hardly move the scale of a position whose items seldom stand elsewhere: that is what a
// step of Newton's method does.
void rescale(const SeenTable& table, double most, BrowsingFit& fit) {
  find_doubt(table, most, fit);
  solve_both(fit.root, fit.slope);
  for (std::size_t k = 1; k < table.positions(); ++k) {
    const double step = std::clamp(fit.slope[k - 1], -kLongestStep, kLongestStep);
    const double factor = std::min(same_exp(step), room_to_rise(fit, k, most));
    for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b) {
      double& g = fit.examination[b];
      if (g < most) g = std::min(most, g * factor);
    }
  }
}

void fit_within(const SeenTable& table, double most, BrowsingFit& fit) {
  fit.examination.assign(table.contexts(), 1);
  fit.attraction.assign(table.items(), 0);
  fit.sums.assign(table.contexts(), {});
  fit.known.assign(table.items(), {});
  fit.share.assign(table.items() * (table.positions() - 1), 0);
  fit.lower.assign(table.positions(), 1);
  // Without pages it stays as it begins.
  for (int n = 0; n < kSweeps && !table.empty(); ++n) {
    sweep(table, most, fit.examination, fit.attraction, fit.sums);
    if (n >= kSweepsFirst) rescale(table, most, fit);
  }
  fit.average = overall_rate(table, fit.examination);
  if (table.seen().size() < table.items()) {
    for (Item e = 0; e < table.items(); ++e) {
      if (table.row(e).empty()) fit.attraction[e] = fit.average;
    }
  }
  find_doubt(table, std::numeric_limits<double>::infinity(), fit);
  if (!table.empty()) widen_doubt(table, fit);
}

// Whether a context that is examined as often as is possible surely had more clicks than that
// explains: by a tenth, and 10 nats.
bool exceeds(const SeenTable& table, double most, BrowsingFit& fit) {
  constexpr double kMoreClicks = .1;
  constexpr double kNats = 10;
  fit.sums.assign(table.contexts(), {});  // surplus of clicks, and its variance
  std::vector<double>& expected = fit.expected;
  expected.assign(table.contexts(), 0);
  for (const Item e : table.seen()) {
    for (const SeenCell& cell : table.row(e)) {
      if (fit.examination[cell.context] < most) continue;
      const double click = std::min(kMostCertain, fit.attraction[e] * most);
      fit.sums[cell.context].merge(
          {cell.clicked - cell.shown * click, cell.shown * click * (1 - click)});
      expected[cell.context] += cell.shown * click;
    }
  }
  for (std::size_t b = 0; b < table.contexts(); ++b) {
    const auto [surplus, variance] = fit.sums[b];
    if (surplus > kMoreClicks * expected[b] && surplus * surplus > 2 * kNats * variance)
      return true;
  }
  return false;
}

constexpr double kMoreThanTheFirst = 20;

}  // namespace

double most_examined(const PositionOrder& order) {
  return order.front() == 0 ? 1 : kMoreThanTheFirst;
}

void fit(const SeenTable& table, double most, BrowsingFit& fit) {
  fit_within(table, most, fit);
  if (most < kMoreThanTheFirst && exceeds(table, most, fit)) {
    fit_within(table, kMoreThanTheFirst, fit);
  }
}

void fit(const BrowsingTable& table, double most, BrowsingFit& result) {
  if (!result.seen || result.seen->positions() != table.positions()) {
    result.seen.emplace(table.positions());
  }
  result.seen->clear(table.items());
  result.seen->reserve(table.room());
  for (Item e = 0; e < table.items(); ++e) result.seen->put(e, table.row(e));
  fit(*result.seen, most, result);
}

}  // namespace dcmrank
