#pragma once

#include <string>

#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/layout.h"

namespace dcmrank::gnuplot {

/// The lines that say where the ticks of both axes are, if gnuplot would set too many for a panel
/// of this size, or none that have labels: whole numbers have whole ticks, few values of a
/// logarithmic axis are its ticks, and categories have their names.
std::string tick_lines(const Figure& figure, const PlotStyle& style, const Layout& layout);

/// How high the names of the categories stand below the axis, in pixels, where they are slanted
/// since they have no room side by side; else 0.
double slanted_height(const Figure& figure, const Layout& layout);

}  // namespace dcmrank::gnuplot
