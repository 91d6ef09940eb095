#include "dcmrank/plot/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/plot/figure_script.h"
#include "dcmrank/plot/gnuplot.h"
#include "dcmrank/plot/ticks.h"

namespace dcmrank {

using gnuplot::literal;

namespace {

// Okabe and Ito's palette, the darker colours first.
constexpr std::array<std::string_view, 7> kColours{"#0072B2", "#D55E00", "#009E73", "#000000",
                                                   "#CC79A7", "#56B4E9", "#E69F00"};
constexpr std::array<std::string_view, 6> kDashes{"solid",      "(14,6)", "(3,4)",
                                                  "(14,5,3,5)", "(7,4)",  "(14,4,3,4,3,4)"};
constexpr std::array<int, 7> kMarks{7, 5, 9, 4, 6, 8, 12};

void add_data(const Figure& figure, std::string& script) {
  auto out = std::back_inserter(script);
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    fmt::format_to(out, "$d{} << END\n", s);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const double error = series.error.empty() ? 0 : series.error[i];
      fmt::format_to(out, "{} {} {} {}\n", series.x[i], series.y[i], series.y[i] - error,
                     series.y[i] + error);
    }
    fmt::format_to(out, "END\n");
  }
}

std::string colour_of(std::size_t s, const PlotStyle& style) {
  if (style.colours.empty()) return std::string(kColours[s % kColours.size()]);
  return style.colours[s % style.colours.size()];
}

// How gnuplot is to draw series s, after `using`.
std::string style_of(const Series& series, std::size_t s, const PlotStyle& style) {
  const std::string colour = colour_of(s, style);
  const auto dash = kDashes[s % kDashes.size()];
  const int mark = kMarks[s % kMarks.size()];
  switch (series.style) {
    case Style::kPoints:
      return fmt::format("1:2:3:4 with yerrorbars lw 1.5 lc rgb '{}' pt {} ps 0.7", colour, mark);
    case Style::kCalculated:
      return fmt::format("1:2 with lines lw 1.5 lc rgb '{}' dt {}", colour, dash);
    case Style::kCurve:
      break;
  }
  return fmt::format("1:2 with linespoints lw 2 lc rgb '{}' dt {} pt {} ps 0.7 pointinterval {}",
                     colour, dash, mark, series.x.size() / 8 + 1);
}

void add_plot(const Figure& figure, const PlotStyle& style, const gnuplot::Layout& layout,
              std::string& script) {
  auto out = std::back_inserter(script);
  const char* separator = "plot";
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    if (series.x.empty()) continue;  // it keeps its colour
    if (series.style == Style::kCurve && !series.error.empty()) {
      fmt::format_to(out,
                     "{} $d{} using 1:3:4 with filledcurves lc rgb '{}' fs transparent solid 0.2 "
                     "noborder notitle",
                     separator, s, colour_of(s, style));
      separator = ", \\\n";
    }
    fmt::format_to(out, "{} $d{} using {} title {}", separator, s, style_of(series, s, style),
                   series.label.empty() ? "''" : layout.label(series.label));
    separator = ", \\\n";
  }
  script += '\n';
}

bool has_negative(const Figure& figure) {
  return std::any_of(figure.series.begin(), figure.series.end(), [](const Series& series) {
    return std::any_of(series.y.begin(), series.y.end(), [](double y) { return y < 0; });
  });
}

std::string range_line(const char* axis, const std::optional<std::pair<double, double>>& range,
                       const char* usual) {
  if (range)
    return fmt::format("set {}range [{:.10g}:{:.10g}]\n", axis, range->first, range->second);
  return usual;
}

}  // namespace

namespace gnuplot {

std::string legend_line(Legend legend, int columns) {
  constexpr const char* kLooks = "Left reverse noenhanced samplen 5 spacing 1.2";
  switch (legend) {
    case Legend::kBelow:
      return fmt::format("set key below maxcols {} {}", columns, kLooks);
    case Legend::kRight:
      return fmt::format("set key outside right top {}", kLooks);
    case Legend::kTopLeft:
      return fmt::format("set key inside left top {} opaque", kLooks);
    case Legend::kTopRight:
      return fmt::format("set key inside right top {} opaque", kLooks);
    case Legend::kBottomLeft:
      return fmt::format("set key inside left bottom {} opaque", kLooks);
    case Legend::kBottomRight:
      return fmt::format("set key inside right bottom {} opaque", kLooks);
    case Legend::kNone:
      break;
  }
  return "unset key";
}

std::string begin_sheet(const Sheet& sheet, const std::filesystem::path& file) {
  return fmt::format(
      "set encoding utf8\nset terminal {}\nset output {}\n"
      "set border 3\nset tics nomirror\nset grid lc rgb '#dddddd' dt solid lw 1\n"
      "set format '%g'\nset decimalsign '.'\n",
      terminal(file, sheet), literal(file.string()));
}

std::string title_line(const std::string& title, double width, const Layout& layout) {
  if (title.empty()) return "unset title\n";
  return fmt::format("set title {} noenhanced\n", layout.text(broken(title, width, layout.letter)));
}

void add_figure(const Figure& figure, const PlotStyle& style, const Layout& layout,
                std::string& script) {
  script += title_line(style.title.value_or(figure.title), layout.panel_width(), layout);
  script += fmt::format("set xlabel {} noenhanced\nset ylabel {} noenhanced\n{}\n",
                        layout.text(style.x_label.value_or(figure.x_label)),
                        layout.text(style.y_label.value_or(figure.y_label)),
                        legend_line(style.legend.value_or(figure.legend), layout.strip.columns));
  if (!figure.note.empty()) {
    script += fmt::format("set label {} at graph 0.98, graph 0.08 right noenhanced front\n",
                          layout.text(figure.note));
  }
  const bool points = !figure.series.empty() && figure.series.front().style == Style::kPoints;
  if (layout.columns * layout.rows > 1) {  // not those of the panel before
    script += "set autoscale x\nset xtics autofreq norotate\nset ytics autofreq\n";
  }
  if (points) script += "set autoscale xfix\nset offsets graph 0.03, graph 0.03, 0, 0\n";
  if (figure.axes != Axes::kLinear && figure.categories.empty()) script += "set logscale x\n";
  if (figure.axes == Axes::kLogLog) script += "set logscale y\n";
  script += range_line("x", style.x_range, "");
  const bool from_zero = figure.axes != Axes::kLogLog && !has_negative(figure);
  script += range_line("y", style.y_range, from_zero ? "set yrange [0:*]\n" : "");
  script += tick_lines(figure, style, layout);
  add_data(figure, script);
  add_plot(figure, style, layout, script);
}

std::string legend_entries(const std::vector<Series>& series, const PlotStyle& style,
                           const Layout& layout) {
  std::string text;
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (series[s].label.empty()) continue;
    const std::string looks = style_of(series[s], s, style);  // the columns, then "with ..."
    text += fmt::format(", \\\n keyentry {} title {}", looks.substr(looks.find("with")),
                        layout.label(series[s].label));
  }
  return text;
}

}  // namespace gnuplot

const Choices<Axes>& axes_by_name() {
  static const Choices<Axes> names{
      {"linear", Axes::kLinear}, {"logx", Axes::kLogX}, {"loglog", Axes::kLogLog}};
  return names;
}

std::string gnuplot_script(const Figure& figure, const std::filesystem::path& file,
                           const PlotStyle& style) {
  const gnuplot::Layout layout = gnuplot::layout_of({figure.title, {figure}}, file, style);
  std::string script = gnuplot::begin_sheet(layout.sheet, file);
  gnuplot::add_figure(figure, style, layout, script);
  return script + "unset output\n";
}

void check_ranges(Axes axes, const PlotStyle& style) {
  const auto check = [](const char* axis, const auto& range) {
    if (!range || range->first > 0) return;
    throw InputError(fmt::format(
        "the range of the {} axis is {}:{}: on a logarithmic axis both ends must be above 0", axis,
        range->first, range->second));
  };
  if (axes != Axes::kLinear) check("x", style.x_range);
  if (axes == Axes::kLogLog) check("y", style.y_range);
}

void check_can_draw(const std::filesystem::path& file) {
  const auto& types = gnuplot::file_types();
  if (std::find(types.begin(), types.end(), file.extension().string()) == types.end()) {
    throw InputError(fmt::format("cannot draw {}: its name must end in {}", file.string(),
                                 fmt::join(types, ", ")));
  }
  if (file.string().find('\n') != std::string::npos) {
    throw InputError("cannot draw a file with a line break in its name");
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread changes the environment
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
    throw InputError(fmt::format("cannot draw {}: gnuplot is not installed", file.string()));
  }
}

}  // namespace dcmrank
