#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/gnuplot.h"
#include "dcmrank/plot/plot_note.h"

/// Where things go on a sheet, and whether there is room for them.
namespace dcmrank::gnuplot {

inline constexpr double kFontSize = 11;      // points, on a sheet of the usual width
inline constexpr double kLetterWidth = 0.6;  // of the size of the font

// Of a legend, in letters as gnuplot counts them: the sample of a line, what is around it, and what
// is between columns.
inline constexpr int kLegendSample = 5;
inline constexpr int kLegendSpaces = 2;
inline constexpr int kLegendApart = 1;

/// Room for a legend that covers nothing: below the panels or beside them, or where the last row
/// has no panel.
struct Strip {
  bool below = false;
  bool right = false;
  bool in_gap = false;
  int columns = 1;
  double size = 0;  // in pixels: its height or width
};

/// A letter as gnuplot takes it to be, in sizes of the font: it sets legends and margins by this.
struct LetterBox {
  double width = 0;
  double height = 0;
};

/// Sizes are in pixels. A single figure is a sheet of one panel.
struct Layout {
  Sheet sheet;
  double letter = 0;  // the size of the font
  std::size_t columns = 1;
  std::size_t rows = 1;
  double heading = 0;  // the height of the title that all panels share
  Strip strip;
  Legend legend = Legend::kBelow;  // where it is: as asked for, if there is room

  bool is_tex = false;
  LetterBox box;
  double y_label = 0;  // how much wider than others a panel with a label of the y axis is

  /// How wide a text is in the font of the drawing, in pixels.
  double width_of(const std::string& words) const;
  double widest_of(const std::vector<std::string>& texts) const;
  /// A text as gnuplot is to be given it: in quotes, for LaTeX in its words. In labels of lines and
  /// ticks a line break is a blank.
  std::string text(const std::string& words) const;
  std::string label(std::string words) const;

  /// Those at the left have the label of the y axis too, and are as much wider.
  double panel_width() const;
  double panel_height() const;
  /// Of a panel, what is within the axes, nearly.
  double plot_width() const;
  /// For a title of it, which is centred over the axes.
  double title_width() const;
  double plot_height() const;
};

/// Whether a legend stands within the axes, where lines are.
bool is_inside_plot(Legend legend);

/// The size of such a legend, as shares of what is within the axes.
struct LegendSize {
  double width = 0;
  double height = 0;
};
LegendSize legend_size(const std::vector<Series>& series, const Layout& layout);

/// On a narrow sheet letters are smaller, and fewer panels are side by side, so that ticks and
/// legends have room. Where no height is asked for, the sheet is as high as it needs.
Layout layout_of(const Panels& panels, const std::filesystem::path& file, const PlotStyle& style);

/// The lines that have a point in some panel; the others keep their place, and with it the colours
/// of those behind them, but not their label.
std::vector<Series> drawn_series(const Panels& panels);

/// A text broken between words into lines of at most `width` pixels, where words allow it.
std::string broken(const std::string& text, double width, const Layout& layout);

/// By how many letters gnuplot is to set a legend wider than by its own estimate, which takes every
/// letter to be as wide as a digit.
double wider_by(const std::vector<Series>& series, const Layout& layout);

/// One line that names the least size at which a drawing can be read, where it is smaller; else
/// empty.
PlotNote size_note(const Panels& panels, const std::filesystem::path& file,
                   const PlotStyle& style = {});
PlotNote size_note(const Figure& figure, const std::filesystem::path& file,
                   const PlotStyle& style = {});

}  // namespace dcmrank::gnuplot
