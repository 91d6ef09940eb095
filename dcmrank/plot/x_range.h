#pragma once

#include <optional>

#include "dcmrank/plot/clip.h"
#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/layout.h"

namespace dcmrank::gnuplot {

/// The range of the x axis: what was asked for; else all points, with room for half a mark at
/// either end, so that no mark covers the numbers of the y axis. A logarithmic axis goes on to
/// whole decades. Nothing where gnuplot is to find it: where there are no two places, or where x
/// are names.
std::optional<Range> x_range_of(const Figure& figure, const PlotStyle& style, const Layout& layout);

}  // namespace dcmrank::gnuplot
