#include <optional>

#include <fmt/format.h>

#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/figure_script.h"
#include "dcmrank/plot/legend.h"

namespace dcmrank {
namespace {

std::string place(double x, double y, double width, double height) {
  return fmt::format("set origin {:.6g},{:.6g}\nset size {:.6g},{:.6g}\n", x, y, width, height);
}

std::string strip_script(const std::vector<Series>& series, const gnuplot::Layout& layout,
                         const PlotStyle& style) {
  return fmt::format(
      "unset border\nunset tics\nunset grid\nunset title\nunset xlabel\nunset ylabel\n"
      "unset label\nunset logscale\nset autoscale\nset offsets 0, 0, 0, 0\n"
      "set xrange [0:1]\nset yrange [0:1]\nset margins 0, 0, 0, 0\n"
      "set key center center {} maxcols {} {}\n"
      "plot NaN notitle{}\n",
      layout.strip.right ? "vertical" : "horizontal", layout.strip.columns,
      gnuplot::legend_looks(series, layout), gnuplot::legend_entries(series, style, layout));
}

}  // namespace

std::string gnuplot_script(const Panels& panels, const std::filesystem::path& file,
                           const PlotStyle& style) {
  const auto& figures = panels.figures;
  if (figures.size() == 1) return gnuplot_script(figures.front(), file, style);
  const gnuplot::Layout layout = gnuplot::layout_of(panels, file, style);
  const gnuplot::Sheet& sheet = layout.sheet;
  const gnuplot::Strip& strip = layout.strip;
  const double below = strip.below ? strip.size / sheet.height : 0;
  const double beside = strip.right ? strip.size / sheet.width : 0;
  const double across = layout.panel_width() / sheet.width;
  const double down = layout.panel_height() / sheet.height;
  std::string script = gnuplot::begin_sheet(sheet, file);
  const std::string title = style.title.value_or(panels.title);
  script += title.empty() ? "set multiplot\n"
                          : fmt::format("set multiplot title {} noenhanced\n",
                                        layout.text(gnuplot::broken(title, sheet.width, layout)));
  PlotStyle of_panels = style;
  of_panels.title.reset();  // theirs say which they are
  if (!style.y_range) of_panels.y_range = gnuplot::range_with_legend(figures, style, layout);
  const auto in_legend = gnuplot::drawn_series(panels);
  // In a strip of its own the legend covers nothing; elsewhere it is in the first panel.
  const bool apart = strip.below || strip.right || strip.in_gap;
  if (apart) of_panels.legend = Legend::kNone;
  const double label = layout.y_label / sheet.width;
  const auto left_of = [&](std::size_t column) {
    return column == 0 ? 0.0 : label + static_cast<double>(column) * across;
  };
  const std::optional<std::string> y_label = of_panels.y_label;
  for (std::size_t n = 0; n < figures.size(); ++n) {
    const std::size_t column = n % layout.columns;
    const std::size_t rows_below = layout.rows - 1 - n / layout.columns;
    script += place(left_of(column), below + static_cast<double>(rows_below) * down,
                    left_of(column + 1) - left_of(column), down);
    of_panels.y_label = y_label;
    if (column > 0 && label > 0) of_panels.y_label = "";
    gnuplot::add_figure(figures[n], of_panels, layout, in_legend, script);
    of_panels.legend = Legend::kNone;
  }
  const double gap = left_of(figures.size() % layout.columns);
  if (strip.below) script += place(0, 0, 1, below);
  if (strip.right) script += place(1 - beside, 0, beside, 1);
  if (strip.in_gap) script += place(gap, 0, 1 - gap, down);
  if (apart) script += strip_script(in_legend, layout, style);
  return script + "unset multiplot\nunset output\n";
}

}  // namespace dcmrank
