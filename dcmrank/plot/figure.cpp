#include "dcmrank/plot/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/plot/clip.h"
#include "dcmrank/plot/figure_script.h"
#include "dcmrank/plot/gnuplot.h"
#include "dcmrank/plot/legend.h"
#include "dcmrank/plot/ticks.h"
#include "dcmrank/plot/x_range.h"

namespace dcmrank {

namespace {

// Okabe and Ito's palette, the darker colours first.
constexpr std::array<std::string_view, 7> kColours{"#0072B2", "#D55E00", "#009E73", "#000000",
                                                   "#CC79A7", "#56B4E9", "#E69F00"};
constexpr std::array<std::string_view, 6> kDashes{"solid",      "(14,6)", "(3,4)",
                                                  "(14,5,3,5)", "(7,4)",  "(14,4,3,4,3,4)"};
constexpr std::array<int, 7> kMarks{7, 5, 9, 4, 6, 8, 12};
constexpr std::size_t kMostMarks = 12;  // of a curve; of more points, not every one has one

// A curve has a band, and points have bars.
bool has_band(const Series& series) {
  return !series.error.empty() && series.style != Style::kCalculated;
}

void add_data(const Figure& figure, const gnuplot::Window& window, std::string& script) {
  auto out = std::back_inserter(script);
  const auto add_points = [&](const std::vector<gnuplot::BandPoint>& points) {
    for (const auto& [x, low, high] : points) fmt::format_to(out, "{} {} {}\n", x, low, high);
  };
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    fmt::format_to(out, "$d{} << END\n", s);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      fmt::format_to(out, "{} {} {} {}\n", series.x[i], series.y[i], series.low(i), series.high(i));
    }
    fmt::format_to(out, "END\n");
    if (!has_band(series)) continue;
    if (series.style == Style::kPoints) {
      fmt::format_to(out, "$b{} << END\n", s);
      add_points(gnuplot::clipped_bars(series, window));
      fmt::format_to(out, "END\n");
    } else if (!gnuplot::is_inside(series, window)) {
      fmt::format_to(out, "$b{} << END\n", s);
      for (const gnuplot::BandPiece& piece : gnuplot::clipped_band(series, window)) {
        add_points(piece);
        fmt::format_to(out, "\n");  // what follows is apart
      }
      fmt::format_to(out, "END\n");
    }
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
      return fmt::format("1:2 with points lw 1.5 lc rgb '{}' pt {} ps 0.7", colour, mark);
    case Style::kCalculated:
      return fmt::format("1:2 with lines lw 1.5 lc rgb '{}' dt {}", colour, dash);
    case Style::kCurve:
      break;
  }
  return fmt::format("1:2 with linespoints lw 2 lc rgb '{}' dt {} pt {} ps 0.7 pointinterval {}",
                     colour, dash, mark,
                     (std::max<std::size_t>(series.x.size(), 1) - 1) / kMostMarks + 1);
}

// The band of series s, or its bars. gnuplot's own bars are broken around the mark of the point.
std::string band_of(const Series& series, std::size_t s, const PlotStyle& style,
                    const gnuplot::Window& window) {
  const std::string colour = colour_of(s, style);
  if (series.style == Style::kPoints) {
    return fmt::format(
        "$b{} using 1:2:(0):($3-$2) with vectors heads size character 0.35,90 fixed nofilled "
        "lw 1.5 lc rgb '{}' notitle",
        s, colour);
  }
  return fmt::format("{} with filledcurves lc rgb '{}' fs transparent solid 0.2 noborder notitle",
                     gnuplot::is_inside(series, window) ? fmt::format("$d{} using 1:3:4", s)
                                                        : fmt::format("$b{} using 1:2:3", s),
                     colour);
}

bool has_seen_band(const Series& series, const gnuplot::Window& window) {
  if (!has_band(series)) return false;
  if (series.style == Style::kPoints) return !gnuplot::clipped_bars(series, window).empty();
  return gnuplot::is_inside(series, window) || !gnuplot::clipped_band(series, window).empty();
}

void add_plot(const Figure& figure, const PlotStyle& style, const gnuplot::Layout& layout,
              const gnuplot::Window& window, std::string& script) {
  auto out = std::back_inserter(script);
  const char* separator = "plot";
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    if (series.x.empty()) continue;  // it keeps its colour
    if (has_seen_band(series, window)) {
      fmt::format_to(out, "{} {}", separator, band_of(series, s, style, window));
      separator = ", \\\n";
    }
    fmt::format_to(out, "{} $d{} using {} title {}", separator, s, style_of(series, s, style),
                   series.label.empty() ? "''" : layout.label(series.label));
    separator = ", \\\n";
  }
}

std::string range_line(const char* axis, const std::optional<std::pair<double, double>>& range,
                       const char* usual) {
  if (range)
    return fmt::format("set {}range [{:.10g}:{:.10g}]\n", axis, range->first, range->second);
  return usual;
}

// What the legend names besides what this figure draws.
std::string missing_entries(const Figure& figure, std::vector<Series> all, const PlotStyle& style,
                            const gnuplot::Layout& layout) {
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (!figure.series[s].x.empty()) all[s].label = "";
  }
  return gnuplot::legend_entries(all, style, layout);
}

}  // namespace

namespace gnuplot {

std::string begin_sheet(const Sheet& sheet, const std::filesystem::path& file) {
  return fmt::format(
      "set encoding utf8\nset terminal {}\nset output {}\n"
      "set border 3 back\nset tics nomirror\nset grid lc rgb '#dddddd' dt solid lw 1\n"
      "set format '%g'\nset decimalsign '.'\nset clip two\n",
      terminal(file, sheet), literal(file.string()));
}

std::string title_line(const std::string& title, double width, const Layout& layout) {
  if (title.empty()) return "unset title\n";
  return fmt::format("set title {} noenhanced\n", layout.text(broken(title, width, layout)));
}

void add_figure(const Figure& figure, const PlotStyle& style, const Layout& layout,
                const std::vector<Series>& in_legend, std::string& script) {
  const Legend legend = style.legend == Legend::kNone ? Legend::kNone : layout.legend;
  script += title_line(style.title.value_or(figure.title), layout.title_width(), layout);
  script += fmt::format("set xlabel {} noenhanced\nset ylabel {} noenhanced\n{}\n",
                        layout.text(style.x_label.value_or(figure.x_label)),
                        layout.text(style.y_label.value_or(figure.y_label)),
                        legend_line(legend, in_legend, layout));
  if (!figure.note.empty()) {
    script += fmt::format("set label {} at graph 0.98, graph 0.08 right noenhanced front\n",
                          layout.text(figure.note));
  }
  if (layout.columns * layout.rows > 1) {  // not those of the panel before
    script += "set autoscale x\nset xtics autofreq norotate\nset ytics autofreq\n";
  }
  if (figure.axes != Axes::kLinear && figure.categories.empty()) script += "set logscale x\n";
  if (figure.axes == Axes::kLogLog) script += "set logscale y\n";
  script += range_line("x", x_range_of(figure, style, layout), "");
  const Window window = window_of(figure, style);
  const bool from_zero = window.y.first == 0;
  script += range_line("y", style.y_range, from_zero ? "set yrange [0:*]\n" : "");
  script += tick_lines(figure, style, layout);
  add_data(figure, window, script);
  add_plot(figure, style, layout, window, script);
  if (legend != Legend::kNone) script += missing_entries(figure, in_legend, style, layout);
  script += '\n';
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

void stand_side_by_side(std::vector<Series>& series) {
  constexpr double kShare = 0.6;  // of the way to the next category
  const auto n = static_cast<double>(series.size());
  for (std::size_t s = 0; s < series.size(); ++s) {
    series[s].style = Style::kPoints;
    for (double& x : series[s].x) x += kShare * ((static_cast<double>(s) + 0.5) / n - 0.5);
  }
}

std::string gnuplot_script(const Figure& figure, const std::filesystem::path& file,
                           const PlotStyle& style) {
  const gnuplot::Layout layout = gnuplot::layout_of({figure.title, {figure}}, file, style);
  PlotStyle ranged = style;
  if (!style.y_range) ranged.y_range = gnuplot::range_with_legend({figure}, style, layout);
  std::string script = gnuplot::begin_sheet(layout.sheet, file);
  gnuplot::add_figure(figure, ranged, layout, figure.series, script);
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

void check_points(const Panels& panels, const PlotStyle& style, const std::string& file,
                  Known known) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr gnuplot::Range kAll{-kInfinity, kInfinity};
  const auto is_in = [](double value, const gnuplot::Range& range) {
    return value >= range.first && value <= range.second;
  };
  const gnuplot::Range x = style.x_range.value_or(kAll);
  const gnuplot::Range y = known == Known::kX ? kAll : style.y_range.value_or(kAll);
  gnuplot::Range all_x{kInfinity, -kInfinity};
  gnuplot::Range all_y = all_x;
  for (const Figure& figure : panels.figures) {
    for (const Series& series : figure.series) {
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (is_in(series.x[i], x) && is_in(series.y[i], y)) return;
        all_x = {std::min(all_x.first, series.x[i]), std::max(all_x.second, series.x[i])};
        if (!is_in(series.x[i], x)) continue;
        all_y = {std::min(all_y.first, series.y[i]), std::max(all_y.second, series.y[i])};
      }
    }
  }
  if (all_x.first > all_x.second) return;  // gnuplot has nothing to draw, and says so
  const bool outside_x = all_y.first > all_y.second;
  const auto& [from, to] = outside_x ? x : y;
  const auto& [least, most] = outside_x ? all_x : all_y;
  throw InputError(
      fmt::format("cannot draw {}: no point is within {:g}:{:g} of the {} axis; they go "
                  "from {:g} to {:g}",
                  file, from, to, outside_x ? "x" : "y", least, most));
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
