#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dcmrank/base/choices.h"
#include "dcmrank/plot/style.h"

namespace dcmrank {

/// How a series is drawn: measured curves with marks here and there, measured points with error
/// bars, and lines that are calculated (bounds, fits), thin and without marks.
enum class Style { kCurve, kPoints, kCalculated };

/// A line of a figure: y over x, with a band (or bars) of +- `error` around it (empty: none), or,
/// with `below`, from that much below to `error` above.
struct Series {
  std::string label;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> error;
  Style style = Style::kCurve;
  std::vector<double> below{};

  double low(std::size_t i) const {
    if (error.empty()) return y[i];
    return y[i] - (below.empty() ? error[i] : below[i]);
  }
  double high(std::size_t i) const { return error.empty() ? y[i] : y[i] + error[i]; }
};

enum class Axes { kLinear, kLogX, kLogLog };
const Choices<Axes>& axes_by_name();  // linear, logx, loglog

struct Figure {
  std::string title;
  std::string x_label;
  std::string y_label;
  Axes axes = Axes::kLinear;
  std::vector<Series> series;
  std::string note{};              // set into the plot, for what a reader must not miss
  Legend legend = Legend::kBelow;  // where it hides nothing
  // Names of the places 1, 2, ... of the x axis, which then has no scale. Empty: x are numbers.
  std::vector<std::string> categories{};
};

/// Makes lines over categories points that do not hide each other: those of one category stand side
/// by side, in the order of their series.
void stand_side_by_side(std::vector<Series>& series);

/// Several figures on one sheet, side by side and below each other, under one title, with one
/// legend: all have the same lines in the same order.
struct Panels {
  std::string title;
  std::vector<Figure> figures;
};

/// Throws InputError where a range of the style cannot be drawn on these axes.
void check_ranges(Axes axes, const PlotStyle& style);

/// What is known of points: before the work, where they are along the x axis.
enum class Known : std::uint8_t { kX, kAll };

/// Throws InputError if all points are outside of the ranges of the style.
void check_points(const Panels& panels, const PlotStyle& style, const std::string& file,
                  Known known);

/// Throws InputError unless the file's name ends in .svg, .png, .pdf, .eps or .tex (TikZ) and
/// gnuplot, which draws, is installed: call it before the work whose result is drawn.
void check_can_draw(const std::filesystem::path& file);

/// The gnuplot programs that draw them, with their data. Lines differ in colour (a palette safe for
/// the colour-blind), dashes and marks, so that they differ in print too.
std::string gnuplot_script(const Figure& figure, const std::filesystem::path& file,
                           const PlotStyle& style = {});
std::string gnuplot_script(const Panels& panels, const std::filesystem::path& file,
                           const PlotStyle& style = {});

}  // namespace dcmrank
