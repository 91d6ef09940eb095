#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/gnuplot.h"
#include "dcmrank/plot/layout.h"

/// The pieces of a gnuplot program that single figures and panels share.
namespace dcmrank::gnuplot {

/// What all figures of a sheet have in common.
std::string begin_sheet(const Sheet& sheet, const std::filesystem::path& file);

/// In a panel of the layout; its legend, if it has one, also names the lines of `in_legend` that
/// have points in other panels alone.
void add_figure(const Figure& figure, const PlotStyle& style, const Layout& layout,
                const std::vector<Series>& in_legend, std::string& script);

/// The entries of the legend, to be plotted without data; each begins with a comma.
std::string legend_entries(const std::vector<Series>& series, const PlotStyle& style,
                           const Layout& layout);
/// The line that sets a title, or sets none.
std::string title_line(const std::string& title, double width, const Layout& layout);

}  // namespace dcmrank::gnuplot
