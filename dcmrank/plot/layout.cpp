#include "dcmrank/plot/layout.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "dcmrank/base/latex.h"
#include "dcmrank/plot/ticks.h"

namespace dcmrank::gnuplot {
namespace {

constexpr double kPanelWidth = 520;  // pixels
constexpr double kPanelHeight = 380;

// In letters, that is in sizes of the font.
constexpr double kLineHeight = 1.3;
constexpr double kLegendLine = 1.9;
constexpr double kOwnLegendLine = 1.4;       // of a legend that gnuplot places
constexpr double kLegendSample = 10;         // letters
constexpr double kLegendLetterWidth = 0.68;  // of the size of the font, in names as policies have
constexpr double kHeading = 2.6;
// What a panel needs at least: ticks and labels of the axes, and some room for the lines.
constexpr double kLeastPanelWidth = 20;
constexpr double kLeastPanelHeight = 16;

double lines_of(const std::string& text) {
  return static_cast<double>(1 + std::count(text.begin(), text.end(), '\n'));
}

// Of several panels side by side: as many as leave each enough of the width, in millimetres.
std::size_t columns_of(std::size_t panels, const PlotStyle& style) {
  if (panels == 1) return 1;
  const std::size_t usual = panels == 2 || panels == 4 ? 2 : 3;
  if (!style.width) return usual;
  constexpr double kUsualLeast = 55;
  const double letters = kLeastPanelWidth * style.font_size.value_or(0) * kPixelsPerPoint;
  const double least = std::max(kUsualLeast, letters / kPixelsPerMillimetre);
  return std::clamp<std::size_t>(static_cast<std::size_t>(*style.width / least), 1, usual);
}

double entry_width(const std::vector<Series>& series, double letter) {
  std::size_t longest = 0;
  for (const Series& one : series) longest = std::max(longest, one.label.size());
  return (static_cast<double>(longest) * kLegendLetterWidth + kLegendSample * kLetterWidth) *
         letter;
}

std::ptrdiff_t labelled_of(const std::vector<Series>& series) {
  return std::count_if(series.begin(), series.end(),
                       [](const Series& one) { return !one.label.empty(); });
}

Strip strip_of(const std::vector<Series>& series, Legend legend, const Layout& layout) {
  const auto labelled = labelled_of(series);
  Strip strip{legend == Legend::kBelow, legend == Legend::kRight};
  if (labelled == 0) return {};
  const double entry = entry_width(series, layout.letter);
  if (strip.right) strip.size = entry;
  if (strip.below) {
    constexpr double kShare = 0.9;  // of the width
    const bool alone = layout.columns * layout.rows == 1;
    const auto most = alone ? std::min<std::ptrdiff_t>(labelled, 2) : labelled;
    const auto columns = std::clamp<std::ptrdiff_t>(
        static_cast<std::ptrdiff_t>(kShare * layout.sheet.width / entry), 1, most);
    strip.columns = static_cast<int>(columns);
    const auto lines = static_cast<double>((labelled + columns - 1) / columns);
    strip.size = (alone ? lines * kOwnLegendLine : (lines + 1) * kLegendLine) * layout.letter;
  }
  return strip;
}

// Letters of a narrower sheet are smaller, those of a document in LaTeX as large as its own.
double points_of(double narrower, const std::filesystem::path& file, const PlotStyle& style) {
  if (file.extension() == ".tex") return 10;
  if (style.font_size) return *style.font_size;
  if (!style.width || narrower >= 1) return 0;
  constexpr double kLeastFontSize = 6;
  return std::max(kFontSize * std::sqrt(narrower), kLeastFontSize);
}

struct Needs {
  double width = 0;
  double height = 0;
};

// What a sheet of this width and its letters need.
Needs needs_of(const Panels& panels, const Layout& layout) {
  Needs needs{kLeastPanelWidth * layout.letter, kLeastPanelHeight * layout.letter};
  double more = 0;
  for (const Figure& figure : panels.figures) {
    const double lines = lines_of(broken(figure.title, layout.panel_width(), layout.letter)) - 1;
    more = std::max(more, lines * kLineHeight * layout.letter + slanted_height(figure, layout));
  }
  needs.height += more;
  needs.width = needs.width * static_cast<double>(layout.columns) +
                (layout.strip.right ? layout.strip.size : 0);
  if (layout.strip.below) {
    needs.width = std::max(needs.width, entry_width(drawn_series(panels), layout.letter));
  }
  needs.height = needs.height * static_cast<double>(layout.rows) + layout.heading +
                 (layout.strip.below ? layout.strip.size : 0);
  return needs;
}

double in_millimetres(double pixels) { return pixels / kPixelsPerMillimetre; }

}  // namespace

std::string Layout::text(const std::string& words) const {
  return literal(is_tex ? latex(words) : words);
}

std::string Layout::label(std::string words) const {
  std::replace(words.begin(), words.end(), '\n', ' ');
  return text(words);
}

double Layout::panel_width() const {
  return (sheet.width - (strip.right ? strip.size : 0)) / static_cast<double>(columns);
}

double Layout::panel_height() const {
  return (sheet.height - heading - (strip.below ? strip.size : 0)) / static_cast<double>(rows);
}

double Layout::plot_width() const { return panel_width() - kBesidePlot * letter; }

double Layout::plot_height() const { return panel_height() - kAbovePlot * letter; }

bool is_inside_plot(Legend legend) {
  return legend != Legend::kBelow && legend != Legend::kRight && legend != Legend::kNone;
}

LegendSize legend_size(const std::vector<Series>& series, const Layout& layout) {
  constexpr double kMargin = 1.5;  // letters
  const auto lines = static_cast<double>(labelled_of(series));
  return {(entry_width(series, layout.letter) + kMargin * layout.letter) / layout.plot_width(),
          (lines * kOwnLegendLine + kMargin) * layout.letter / layout.plot_height()};
}

std::vector<Series> drawn_series(const Panels& panels) {
  std::vector<Series> all = panels.figures.front().series;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const auto has_points = [&](const Figure& panel) { return !panel.series[s].x.empty(); };
    if (std::none_of(panels.figures.begin(), panels.figures.end(), has_points)) all[s].label = "";
  }
  return all;
}

std::string broken(const std::string& text, double width, double letter) {
  const auto most = static_cast<std::size_t>(std::max(1.0, width / (kLetterWidth * letter)));
  std::string result;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > 0) {
      const bool fits = column + 1 + word.size() <= most;
      result += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    result += word;
    column += word.size();
  }
  return result;
}

namespace {

// The height of the sheet, where the legend has its place; `narrower` than usual it is.
void set_height(const Panels& panels, const PlotStyle& style, double narrower, Layout& layout) {
  const bool alone = panels.figures.size() == 1;
  const double below = layout.strip.below ? layout.strip.size : 0;
  // A single figure of the usual height has room for two lines of a legend.
  const double legend_more =
      alone ? std::max(0.0, below - 2 * kOwnLegendLine * layout.letter) : below;
  const double height = alone ? Sheet().height : kPanelHeight * static_cast<double>(layout.rows);
  layout.sheet.height = style.height ? *style.height * kPixelsPerMillimetre
                                     : height * narrower + layout.heading + legend_more;
  if (!style.height) {
    layout.sheet.height +=
        slanted_height(panels.figures.front(), layout) * static_cast<double>(layout.rows);
    layout.sheet.height = std::max(layout.sheet.height, needs_of(panels, layout).height);
  }
}

}  // namespace

Layout layout_of(const Panels& panels, const std::filesystem::path& file, const PlotStyle& style) {
  const bool alone = panels.figures.size() == 1;
  const Sheet figure;
  Layout layout;
  layout.is_tex = file.extension() == ".tex";
  layout.columns = columns_of(panels.figures.size(), style);
  layout.rows = (panels.figures.size() + layout.columns - 1) / layout.columns;
  const double usual = alone ? figure.width : kPanelWidth * static_cast<double>(layout.columns);
  const double width = style.width ? *style.width * kPixelsPerMillimetre : usual;
  layout.sheet = {width, 0, style.font.value_or(figure.font),
                  points_of(width / usual, file, style)};
  layout.letter =
      (layout.sheet.font_size > 0 ? layout.sheet.font_size : kFontSize) * kPixelsPerPoint;
  const std::string title = style.title.value_or(panels.title);
  if (!alone && !title.empty()) {
    const double more = lines_of(broken(title, width, layout.letter)) - 1;
    layout.heading = (kHeading + more * kLineHeight) * layout.letter;
  }
  layout.legend = style.legend.value_or(panels.figures.front().legend);
  layout.strip = strip_of(drawn_series(panels), layout.legend, layout);
  set_height(panels, style, width / usual, layout);
  if (!is_inside_plot(layout.legend)) return layout;
  constexpr double kMostWide = 0.9;  // of what is within the axes
  constexpr double kMostHigh = 0.6;
  const LegendSize size = legend_size(panels.figures.front().series, layout);
  if (size.width > kMostWide || size.height > kMostHigh) {
    layout.legend = Legend::kBelow;
    layout.strip = strip_of(drawn_series(panels), layout.legend, layout);
    set_height(panels, style, width / usual, layout);
  }
  return layout;
}

std::string size_note(const Panels& panels, const std::filesystem::path& file,
                      const PlotStyle& style) {
  const Layout asked = layout_of(panels, file, style);
  PlotStyle least = style;
  Layout layout = asked;
  constexpr double kMostWidth = 2000;  // millimetres
  for (double width = std::ceil(in_millimetres(asked.sheet.width));
       needs_of(panels, layout).width > layout.sheet.width && width < kMostWidth; ++width) {
    least.width = width;
    layout = layout_of(panels, file, least);
  }
  const double usual = style.height ? asked.sheet.height : layout.sheet.height;
  const double height = std::max(needs_of(panels, layout).height, usual);
  if (layout.sheet.width <= asked.sheet.width && height <= asked.sheet.height) return {};
  return fmt::format(
      "{} is too small to be read: {} at least {:.0f} x {:.0f} mm", file.filename().string(),
      panels.figures.size() == 1 ? "it needs"
                                 : fmt::format("its {} panels need", panels.figures.size()),
      std::ceil(in_millimetres(layout.sheet.width)), std::ceil(in_millimetres(height)));
}

std::string size_note(const Figure& figure, const std::filesystem::path& file,
                      const PlotStyle& style) {
  return size_note(Panels{figure.title, {figure}}, file, style);
}

}  // namespace dcmrank::gnuplot
