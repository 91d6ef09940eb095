#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/figure_script.h"

namespace dcmrank {
namespace {

using gnuplot::Sheet;

constexpr double kPanelWidth = 520;  // pixels
constexpr double kPanelHeight = 380;

// Panels side by side: as many as leave each enough of the width, in millimetres.
std::size_t columns_of(std::size_t panels, const std::optional<double>& width) {
  const std::size_t usual = panels == 2 || panels == 4 ? 2 : 3;
  if (!width) return usual;
  constexpr double kLeast = 55;
  return std::clamp<std::size_t>(static_cast<std::size_t>(*width / kLeast), 1, usual);
}

// Calls `use` with every y of the figures, and its error.
template <class Use>
void for_values(const std::vector<Figure>& figures, const Use& use) {
  for (const Figure& figure : figures) {
    for (const Series& series : figure.series) {
      for (std::size_t i = 0; i < series.y.size(); ++i) {
        use(series.y[i], series.error.empty() ? 0 : series.error[i]);
      }
    }
  }
}

std::pair<double, double> linear_range(const std::vector<Figure>& figures) {
  double least = 0;
  double most = 0;
  for_values(figures, [&](double y, double error) {
    least = std::min(least, y - error);
    most = std::max(most, y + error);
  });
  constexpr double kMargin = 1.05;
  return {kMargin * least, most > least ? kMargin * most : 1};
}

// Whole decades, as gnuplot takes them for one figure. What is not above 0 has no place.
std::optional<std::pair<double, double>> logarithmic_range(const std::vector<Figure>& figures) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for_values(figures, [&](double y, double error) {
    if (!(y > 0)) return;
    least = std::min(least, y > error ? y - error : y);
    most = std::max(most, y + error);
  });
  if (!(most > 0)) return std::nullopt;
  const double low = std::floor(std::log10(least));
  return std::pair(std::pow(10, low), std::pow(10, std::max(std::ceil(std::log10(most)), low + 1)));
}

// One scale for all, so that panels can be compared.
std::optional<std::pair<double, double>> common_range(const std::vector<Figure>& figures) {
  if (figures.front().axes == Axes::kLogLog) return logarithmic_range(figures);
  return linear_range(figures);
}

// The legend that all panels share: below or beside them, in a strip of its own, so that it covers
// nothing; elsewhere it is in the first panel.
struct Strip {
  bool below = false;
  bool right = false;
  int columns = 1;
  double size = 0;  // of the strip, in pixels: its height or width
};

// The lines that have a point in some panel; the others keep their place, and with it the colours
// of those behind them, but not their label.
std::vector<Series> drawn_series(const Panels& panels) {
  std::vector<Series> all = panels.figures.front().series;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const auto has_points = [&](const Figure& panel) { return !panel.series[s].x.empty(); };
    if (std::none_of(panels.figures.begin(), panels.figures.end(), has_points)) all[s].label = "";
  }
  return all;
}

Strip strip_of(const std::vector<Series>& series, Legend legend, double width, double font_size) {
  const auto labelled = std::count_if(series.begin(), series.end(),
                                      [](const Series& one) { return !one.label.empty(); });
  if (labelled == 0) return {};
  constexpr double kShare = 0.9;        // of the width
  constexpr double kEntryHeight = 1.9;  // of the font's size
  const double entry = gnuplot::legend_entry_width(series, font_size);
  Strip strip{legend == Legend::kBelow, legend == Legend::kRight};
  if (strip.right) strip.size = entry;
  if (strip.below) {
    const auto columns = std::clamp<std::ptrdiff_t>(
        static_cast<std::ptrdiff_t>(kShare * width / entry), 1, labelled);
    strip.columns = static_cast<int>(columns);
    const auto lines = static_cast<double>((labelled + columns - 1) / columns);
    strip.size = (lines + 1) * kEntryHeight * font_size * gnuplot::kPixelsPerPoint;
  }
  return strip;
}

std::string place(double x, double y, double width, double height) {
  return fmt::format("set origin {:.6g},{:.6g}\nset size {:.6g},{:.6g}\n", x, y, width, height);
}

std::string strip_script(const std::vector<Series>& series, const Strip& strip,
                         const PlotStyle& style) {
  return fmt::format(
      "unset border\nunset tics\nunset grid\nunset title\nunset xlabel\nunset ylabel\n"
      "unset label\nunset logscale\nset autoscale\nset offsets 0, 0, 0, 0\n"
      "set xrange [0:1]\nset yrange [0:1]\nset margins 0, 0, 0, 0\n"
      "set key center center {} maxcols {} Left reverse noenhanced samplen 5 spacing 1.2\n"
      "plot NaN notitle{}\n",
      strip.below ? "horizontal" : "vertical", strip.columns,
      gnuplot::legend_entries(series, style));
}

}  // namespace

std::string gnuplot_script(const Panels& panels, const std::filesystem::path& file,
                           const PlotStyle& style) {
  const auto& figures = panels.figures;
  if (figures.size() == 1) return gnuplot_script(figures.front(), file, style);
  const std::size_t columns = columns_of(figures.size(), style.width);
  const std::size_t rows = (figures.size() + columns - 1) / columns;
  const Legend legend = style.legend.value_or(figures.front().legend);
  constexpr double kHeading = 2.6;  // of the font's size
  const auto heading = [&](double font_size) {
    return kHeading * font_size * gnuplot::kPixelsPerPoint;
  };
  const double width = kPanelWidth * static_cast<double>(columns);
  const std::vector<Series> series = drawn_series(panels);
  const Strip usual = strip_of(series, legend, width, gnuplot::kFontSize);
  const double height = kPanelHeight * static_cast<double>(rows) + heading(gnuplot::kFontSize) +
                        (usual.below ? usual.size : 0);
  const Sheet sheet = gnuplot::sheet_of({width, height}, style);
  const double font_size = sheet.font_size > 0 ? sheet.font_size : gnuplot::kFontSize;
  const Strip strip = strip_of(series, legend, sheet.width, font_size);
  const double beside = strip.right ? strip.size / sheet.width : 0;
  const double below = strip.below ? strip.size / sheet.height : 0;
  const double across = (1 - beside) / static_cast<double>(columns);
  const double down = (1 - below - heading(font_size) / sheet.height) / static_cast<double>(rows);
  std::string script = gnuplot::begin_sheet(sheet, file);
  script += fmt::format("set multiplot title {} noenhanced\n",
                        gnuplot::literal(style.title.value_or(panels.title)));
  PlotStyle of_panels = style;
  of_panels.title.reset();  // theirs say which they are
  if (!style.y_range) of_panels.y_range = common_range(figures);
  if (strip.below || strip.right) of_panels.legend = Legend::kNone;
  for (std::size_t n = 0; n < figures.size(); ++n) {
    const auto column = static_cast<double>(n % columns);
    const auto row = static_cast<double>(n / columns);
    script +=
        place(column * across, below + (static_cast<double>(rows) - 1 - row) * down, across, down);
    gnuplot::add_figure(figures[n], of_panels, across * sheet.width, sheet.font_size, script);
    of_panels.legend = Legend::kNone;
  }
  if (strip.below) script += place(0, 0, 1, below);
  if (strip.right) script += place(1 - beside, 0, beside, 1);
  if (strip.below || strip.right) script += strip_script(series, strip, style);
  return script + "unset multiplot\nunset output\n";
}

}  // namespace dcmrank
