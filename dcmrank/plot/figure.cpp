#include "dcmrank/plot/figure.h"

#include <array>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/plot/gnuplot.h"

namespace dcmrank {

using gnuplot::literal;
using gnuplot::terminal;

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

// How gnuplot is to draw series s, after `using`.
std::string style_of(const Series& series, std::size_t s) {
  const auto colour = kColours[s % kColours.size()];
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

void add_plot(const Figure& figure, std::string& script) {
  auto out = std::back_inserter(script);
  const char* separator = "plot";
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    if (series.style == Style::kCurve && !series.error.empty()) {
      fmt::format_to(out,
                     "{} $d{} using 1:3:4 with filledcurves lc rgb '{}' fs transparent solid 0.2 "
                     "noborder notitle",
                     separator, s, kColours[s % kColours.size()]);
      separator = ", \\\n";
    }
    fmt::format_to(out, "{} $d{} using {} title {}", separator, s, style_of(series, s),
                   series.label.empty() ? "''" : literal(series.label));
    separator = ", \\\n";
  }
  script += '\n';
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const std::filesystem::path& file) {
  std::string script = fmt::format(
      "set encoding utf8\nset terminal {}\nset output {}\nset title {} noenhanced\n"
      "set xlabel {} noenhanced\nset ylabel {} noenhanced\n"
      "set key {} Left reverse noenhanced samplen 5 spacing 1.2 {}\n"
      "set border 3\nset tics nomirror\nset grid lc rgb '#dddddd' dt solid lw 1\n"
      "set format '%g'\nset decimalsign '.'\n",
      terminal(file, gnuplot::Size{}), literal(file.string()), literal(figure.title),
      literal(figure.x_label), literal(figure.y_label), figure.key,
      figure.key == kKeyBelow ? "" : "opaque");
  if (!figure.note.empty()) {
    script += fmt::format("set label {} at graph 0.98, graph 0.08 right noenhanced front\n",
                          literal(figure.note));
  }
  const bool points = !figure.series.empty() && figure.series.front().style == Style::kPoints;
  if (points) script += "set autoscale xfix\nset offsets graph 0.03, graph 0.03, 0, 0\n";
  if (figure.axes != Axes::kLinear) script += "set logscale x\n";
  script += figure.axes == Axes::kLogLog ? "set logscale y\n" : "set yrange [0:*]\n";
  add_data(figure, script);
  add_plot(figure, script);
  return script + "unset output\n";
}

void check_can_draw(const std::filesystem::path& file) {
  const std::string type = file.extension().string();
  if (type != ".svg" && type != ".png" && type != ".pdf") {
    throw InputError(
        fmt::format("cannot draw {}: its name must end in .svg, .png or .pdf", file.string()));
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread changes the environment
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
    throw InputError(fmt::format("cannot draw {}: gnuplot is not installed", file.string()));
  }
}

void draw(const Figure& figure, const std::filesystem::path& file) {
  gnuplot::run(gnuplot_script(figure, file), file);
}

}  // namespace dcmrank
