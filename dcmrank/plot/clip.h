#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcmrank/plot/figure.h"

namespace dcmrank::gnuplot {

using Range = std::pair<double, double>;

/// What of the plane a figure shows. An end that gnuplot finds by itself is infinite.
struct Window {
  Range x;
  Range y;
  bool log_x = false;
  bool log_y = false;
};

/// Along an axis; what a logarithmic one has no place for is infinitely far down.
double along(double value, bool logarithmic);
Range on_axis(const Range& range, bool logarithmic);

/// The window of a figure: what was asked for; else y from 0, where nothing is below, or whole
/// decades of a logarithmic axis.
Window window_of(const Figure& figure, const PlotStyle& style);

/// Whole decades around what figures show above 0. Nothing where nothing is.
std::optional<Range> decades_of(const std::vector<Figure>& figures);

/// Calls `use` with every y of the figures, and from where to where its error goes.
template <class Use>
void for_values(const std::vector<Figure>& figures, const Use& use) {
  for (const Figure& figure : figures) {
    for (const Series& series : figure.series) {
      for (std::size_t i = 0; i < series.y.size(); ++i) {
        use(series.y[i], series.low(i), series.high(i));
      }
    }
  }
}

/// A point of a band: from low to high over x.
struct BandPoint {
  double x = 0;
  double low = 0;
  double high = 0;
};
using BandPiece = std::vector<BandPoint>;

/// Whether all of its band is in the window.
bool is_inside(const Series& series, const Window& window);

/// The pieces of the band of a series that are in the window, straight between its points on the
/// window's axes: gnuplot itself would move points that are outside to the edge.
std::vector<BandPiece> clipped_band(const Series& series, const Window& window);

/// The same of bars, one for each point.
std::vector<BandPoint> clipped_bars(const Series& series, const Window& window);

}  // namespace dcmrank::gnuplot
