#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dcmrank/plot/clip.h"
#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/layout.h"

/// Where a legend goes, and how it is kept off the lines.
namespace dcmrank::gnuplot {

/// For a legend of these lines.
std::string legend_line(Legend legend, const std::vector<Series>& series, const Layout& layout);
/// How gnuplot is to set the entries of any legend.
std::string legend_looks(const std::vector<Series>& series, const Layout& layout);

/// The range of the y axis that all figures of a sheet share; nothing where it is gnuplot's to
/// find, or the user's.
std::optional<Range> common_range(const std::vector<Figure>& figures, const PlotStyle& style);

/// The same, where the legend in a corner of the first figure is kept off the lines by a longer
/// axis.
std::optional<Range> range_with_legend(const std::vector<Figure>& figures, const PlotStyle& style,
                                       const Layout& layout);

/// One line where the legend is elsewhere than asked for, or covers lines; else empty.
PlotNote legend_note(const Panels& panels, const std::filesystem::path& file,
                     const PlotStyle& style = {});
PlotNote legend_note(const Figure& figure, const std::filesystem::path& file,
                     const PlotStyle& style = {});

/// check_points() of what is drawn.
void check_points_of(const Panels& panels, const std::filesystem::path& file,
                     const PlotStyle& style = {});
void check_points_of(const Figure& figure, const std::filesystem::path& file,
                     const PlotStyle& style = {});

}  // namespace dcmrank::gnuplot
