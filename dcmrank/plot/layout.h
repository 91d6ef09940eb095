#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/gnuplot.h"

/// Where things go on a sheet, and whether there is room for them.
namespace dcmrank::gnuplot {

inline constexpr double kFontSize = 11;      // points, on a sheet of the usual width
inline constexpr double kLetterWidth = 0.6;  // of the size of the font
// In letters, that is in sizes of the font.
inline constexpr double kBesidePlot = 9;  // what is left and right of the axes
inline constexpr double kAbovePlot = 9;   // and above and below

/// Room for a legend that covers nothing: below the panels or beside them.
struct Strip {
  bool below = false;
  bool right = false;
  int columns = 1;
  double size = 0;  // in pixels: its height or width
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

  /// A text as gnuplot is to be given it: in quotes, for LaTeX in its words. In labels of lines and
  /// ticks a line break is a blank.
  std::string text(const std::string& words) const;
  std::string label(std::string words) const;

  double panel_width() const;
  double panel_height() const;
  /// Of a panel, what is within the axes, nearly.
  double plot_width() const;
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
std::string broken(const std::string& text, double width, double letter);

/// One line that names the least size at which a drawing can be read, where it is smaller; else
/// empty.
std::string size_note(const Panels& panels, const std::filesystem::path& file,
                      const PlotStyle& style = {});
std::string size_note(const Figure& figure, const std::filesystem::path& file,
                      const PlotStyle& style = {});

}  // namespace dcmrank::gnuplot
