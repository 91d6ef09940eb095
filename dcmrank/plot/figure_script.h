#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/gnuplot.h"

/// The pieces of a gnuplot program that single figures and panels share.
namespace dcmrank::gnuplot {

inline constexpr double kFontSize = 11;  // points, on a sheet of the usual width

/// The sheet that a style asks for. On a narrow one letters are smaller, so that ticks and legends
/// have room.
Sheet sheet_of(Sheet usual, const PlotStyle& style);

/// What all figures of a sheet have in common.
std::string begin_sheet(const Sheet& sheet, const std::filesystem::path& file);

/// `width`: of the figure, in pixels.
void add_figure(const Figure& figure, const PlotStyle& style, double width, double font_size,
                std::string& script);

/// How wide an entry of the legend is, in pixels.
double legend_entry_width(const std::vector<Series>& series, double font_size);
std::string legend_line(Legend legend, int columns);
/// The entries of the legend, to be plotted without data; each begins with a comma.
std::string legend_entries(const std::vector<Series>& series, const PlotStyle& style);

}  // namespace dcmrank::gnuplot
