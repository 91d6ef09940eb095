#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dcmrank {

/// How a series is drawn: measured curves with marks here and there, measured points with error
/// bars, and lines that are calculated (bounds, fits), thin and without marks.
enum class Style { kCurve, kPoints, kCalculated };

/// A line of a figure: y over x, with a band (or bars) of +- `error` around it (empty: none).
struct Series {
  std::string label;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> error;
  Style style = Style::kCurve;
};

enum class Axes { kLinear, kLogX, kLogLog };

/// Puts the legend under the plot, where it hides nothing.
inline constexpr const char* kKeyBelow = "below maxcols 2";

struct Figure {
  std::string title;
  std::string x_label;
  std::string y_label;
  Axes axes = Axes::kLinear;
  std::vector<Series> series;
  std::string note{};           // set into the plot, for what a reader must not miss
  std::string key = kKeyBelow;  // where the legend goes, in gnuplot's words
};

/// Throws InputError unless the file's name ends in .svg, .png or .pdf and gnuplot, which draws, is
/// installed: call it before the work whose result is drawn.
void check_can_draw(const std::filesystem::path& file);

/// Draws the figure into `file`, in the format that its name says. Lines differ in colour
/// (a palette safe for the colour-blind), dashes and marks, so that they differ in print too.
void draw(const Figure& figure, const std::filesystem::path& file);

/// The gnuplot program that draws it.
std::string gnuplot_script(const Figure& figure, const std::filesystem::path& file);

}  // namespace dcmrank
