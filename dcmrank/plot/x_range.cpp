#include "dcmrank/plot/x_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dcmrank::gnuplot {
namespace {

constexpr double kHalfMark = 5;  // pixels, with what is left free beside it

// Where the points are along the axis.
Range places_of(const Figure& figure, bool logarithmic) {
  Range x{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Series& series : figure.series) {
    for (const double value : series.x) {
      if (!std::isfinite(value) || (logarithmic && value <= 0)) continue;
      const double place = along(value, logarithmic);
      x = {std::min(x.first, place), std::max(x.second, place)};
    }
  }
  return x;
}

}  // namespace

std::optional<Range> x_range_of(const Figure& figure, const PlotStyle& style,
                                const Layout& layout) {
  if (style.x_range) return style.x_range;
  const bool logarithmic = figure.axes != Axes::kLinear;
  const Range x = places_of(figure, logarithmic);
  if (!figure.categories.empty() || !(x.second > x.first)) return std::nullopt;
  const double share = kHalfMark / std::max(layout.plot_width() - 2 * kHalfMark, kHalfMark);
  if (!logarithmic) {
    const double more = share * (x.second - x.first);
    return Range(x.first - more, x.second + more);
  }
  const Range decades(std::floor(x.first), std::ceil(x.second));
  const double more = share * (decades.second - decades.first);
  return Range(std::pow(10, std::min(decades.first, x.first - more)),
               std::pow(10, std::max(decades.second, x.second + more)));
}

}  // namespace dcmrank::gnuplot
