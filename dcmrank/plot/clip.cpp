#include "dcmrank/plot/clip.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dcmrank::gnuplot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool has_negative(const Figure& figure) {
  return std::any_of(figure.series.begin(), figure.series.end(), [](const Series& series) {
    return std::any_of(series.y.begin(), series.y.end(), [](double y) { return y < 0; });
  });
}

BandPoint band_point(const Series& series, std::size_t i) {
  return {series.x[i], series.low(i), series.high(i)};
}

BandPoint on_axes(const BandPoint& point, const Window& window) {
  // Far below the window, where a line can still be drawn to.
  const auto bounded = [](double value, double least) { return std::max(value, least); };
  const double far = window.log_y ? along(window.y.first, true) - 1 : -kInfinity;
  return {along(point.x, window.log_x), bounded(along(point.low, window.log_y), far),
          bounded(along(point.high, window.log_y), far)};
}

double between(double a, double b, double share) { return a + share * (b - a); }

// A point of the line from a to b, in the values of the data.
BandPoint at(const BandPoint& a, const BandPoint& b, double share, const Window& window) {
  const BandPoint from = on_axes(a, window);
  const BandPoint to = on_axes(b, window);
  const auto value = [&](double begin, double end, double first, double last, bool logarithmic) {
    if (share <= 0) return first;
    if (share >= 1) return last;
    const double place = between(begin, end, share);
    return logarithmic ? std::pow(10, place) : place;
  };
  return {value(from.x, to.x, a.x, b.x, window.log_x),
          value(from.low, to.low, a.low, b.low, window.log_y),
          value(from.high, to.high, a.high, b.high, window.log_y)};
}

// Where, as a share of the way from a to b, the band crosses an edge of the window.
std::vector<double> crossings(const BandPoint& a, const BandPoint& b, const Window& window) {
  const Range x = on_axis(window.x, window.log_x);
  const Range y = on_axis(window.y, window.log_y);
  std::vector<double> shares{0, 1};
  const auto add = [&](double from, double to, double edge) {
    if (!std::isfinite(edge) || (from - edge) * (to - edge) >= 0) return;
    shares.push_back((edge - from) / (to - from));
  };
  for (const double edge : {x.first, x.second}) add(a.x, b.x, edge);
  for (const double edge : {y.first, y.second}) {
    add(a.low, b.low, edge);
    add(a.high, b.high, edge);
  }
  std::sort(shares.begin(), shares.end());
  return shares;
}

bool is_seen(const BandPoint& point, const Window& window) {
  return point.x >= window.x.first && point.x <= window.x.second && point.high > window.y.first &&
         point.low < window.y.second;
}

BandPoint within(const BandPoint& point, const Window& window) {
  return {std::clamp(point.x, window.x.first, window.x.second),
          std::clamp(point.low, window.y.first, window.y.second),
          std::clamp(point.high, window.y.first, window.y.second)};
}

}  // namespace

double along(double value, bool logarithmic) {
  if (!logarithmic) return value;
  return value > 0 ? std::log10(value) : -kInfinity;
}

Range on_axis(const Range& range, bool logarithmic) {
  return {along(range.first, logarithmic), along(range.second, logarithmic)};
}

std::optional<Range> decades_of(const std::vector<Figure>& figures) {
  double least = kInfinity;
  double most = 0;
  for_values(figures, [&](double y, double low, double high) {
    if (!(y > 0)) return;
    least = std::min(least, low > 0 ? low : y);
    most = std::max(most, high);
  });
  if (!(most > 0)) return std::nullopt;
  const double low = std::floor(std::log10(least));
  return Range(std::pow(10, low), std::pow(10, std::max(std::ceil(std::log10(most)), low + 1)));
}

Window window_of(const Figure& figure, const PlotStyle& style) {
  constexpr Range kAll{-kInfinity, kInfinity};
  Window window;
  window.log_x = figure.axes != Axes::kLinear && figure.categories.empty();
  window.log_y = figure.axes == Axes::kLogLog;
  window.x = style.x_range.value_or(kAll);
  const Range usual = window.log_y           ? decades_of({figure}).value_or(kAll)
                      : has_negative(figure) ? kAll
                                             : Range(0, kInfinity);
  window.y = style.y_range.value_or(usual);
  return window;
}

bool is_inside(const Series& series, const Window& window) {
  for (std::size_t i = 0; i < series.error.size(); ++i) {
    const BandPoint point = band_point(series, i);
    if (point.x < window.x.first || point.x > window.x.second || point.low < window.y.first ||
        point.high > window.y.second) {
      return false;
    }
  }
  return true;
}

std::vector<BandPiece> clipped_band(const Series& series, const Window& window) {
  std::vector<BandPiece> pieces;
  bool goes_on = false;
  for (std::size_t i = 0; i + 1 < series.error.size(); ++i) {
    const BandPoint a = band_point(series, i);
    const BandPoint b = band_point(series, i + 1);
    const auto shares = crossings(on_axes(a, window), on_axes(b, window), window);
    for (std::size_t s = 0; s + 1 < shares.size(); ++s) {
      const bool seen = is_seen(at(a, b, (shares[s] + shares[s + 1]) / 2, window), window);
      if (seen && !goes_on) {
        pieces.push_back({within(at(a, b, shares[s], window), window)});
      }
      if (seen) pieces.back().push_back(within(at(a, b, shares[s + 1], window), window));
      goes_on = seen;
    }
  }
  return pieces;
}

std::vector<BandPoint> clipped_bars(const Series& series, const Window& window) {
  std::vector<BandPoint> bars;
  for (std::size_t i = 0; i < series.error.size(); ++i) {
    const BandPoint bar = band_point(series, i);
    if (bar.high > bar.low && is_seen(bar, window)) bars.push_back(within(bar, window));
  }
  return bars;
}

}  // namespace dcmrank::gnuplot
