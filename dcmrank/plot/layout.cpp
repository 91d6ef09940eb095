#include "dcmrank/plot/layout.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "dcmrank/plot/ticks.h"

namespace dcmrank::gnuplot {
namespace {

constexpr double kPanelWidth = 520;  // pixels
constexpr double kPanelHeight = 380;

// In letters, that is in sizes of the font.
constexpr double kLineHeight = 1.3;
constexpr double kLegendLine = 1.9;
constexpr double kUsualLegendLine = 1.4;
constexpr double kHeading = 2.6;
// What a panel needs at least: ticks and labels of the axes, and some room for the lines.
constexpr double kLeastPanelWidth = 18;
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

// A sample of a line and its label, as gnuplot sets them side by side.
double entry_width(const std::vector<Series>& series, const Layout& layout) {
  constexpr double kMark = 7;  // pixels
  double widest = 0;
  for (const Series& one : series) widest = std::max(widest, layout.width_of(one.label));
  return widest + kMark +
         (kLegendSample + kLegendSpaces + kLegendApart) * layout.box.width * layout.letter;
}

std::ptrdiff_t labelled_of(const std::vector<Series>& series) {
  return std::count_if(series.begin(), series.end(),
                       [](const Series& one) { return !one.label.empty(); });
}

// Of a legend that gnuplot places, in letters.
double own_legend_line(const Layout& layout) {
  constexpr double kSpacing = 1.2;
  return kSpacing * layout.box.height;
}

// As few columns as make as few lines as the width allows.
int legend_columns(std::ptrdiff_t labelled, double width, double entry) {
  const auto most =
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(width / entry), 1, labelled);
  const auto lines = (labelled + most - 1) / most;
  return static_cast<int>((labelled + lines - 1) / lines);
}

double legend_lines(std::ptrdiff_t labelled, int columns) {
  const auto lines = (labelled + columns - 1) / columns;
  return static_cast<double>(lines);
}

// For a legend below. gnuplot centres that of a single figure under its axes, right of the middle
// of the sheet.
double room_below(const Layout& layout) {
  constexpr double kShare = 0.94;  // of the width
  constexpr double kNumbers = 3;   // letters of the y axis, and what is left free at the right
  const bool alone = layout.columns * layout.rows == 1;
  const double shift =
      alone ? (layout.box.height + kNumbers * layout.box.width) * layout.letter : 0;
  return std::min(kShare * layout.sheet.width, layout.sheet.width - shift);
}

Strip strip_of(const std::vector<Series>& series, Legend legend, const Layout& layout) {
  const auto labelled = labelled_of(series);
  Strip strip{legend == Legend::kBelow, legend == Legend::kRight};
  if (labelled == 0) return {};
  const double entry = entry_width(series, layout);
  if (strip.right) strip.size = entry;
  if (strip.below) {
    const bool alone = layout.columns * layout.rows == 1;
    strip.columns = legend_columns(labelled, room_below(layout), entry);
    const double lines = legend_lines(labelled, strip.columns);
    strip.size =
        (alone ? lines * own_legend_line(layout) : (lines + 1) * kLegendLine) * layout.letter;
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

// Of the width of the sheet, for the widest entry of a legend below.
double legend_need(const Panels& panels, const Layout& layout) {
  return entry_width(drawn_series(panels), layout) + layout.sheet.width - room_below(layout);
}

struct Needs {
  double width = 0;
  double height = 0;
};

// What a sheet of this width and its letters need.
Needs needs_of(const Panels& panels, const Layout& layout) {
  constexpr double kOfLatex = 0.82;  // its digits are narrower
  const double across = kLeastPanelWidth * layout.letter * (layout.is_tex ? kOfLatex : 1);
  Needs needs{across - layout.y_label, kLeastPanelHeight * layout.letter};
  double more = 0;
  for (const Figure& figure : panels.figures) {
    const double lines = lines_of(broken(figure.title, layout.title_width(), layout)) - 1;
    more = std::max(more, lines * kLineHeight * layout.letter + slanted_height(figure, layout));
  }
  needs.height += more;
  needs.width = needs.width * static_cast<double>(layout.columns) + layout.y_label +
                (layout.strip.right ? layout.strip.size : 0);
  if (layout.strip.below) needs.width = std::max(needs.width, legend_need(panels, layout));
  needs.height = needs.height * static_cast<double>(layout.rows) + layout.heading +
                 (layout.strip.below ? layout.strip.size : 0);
  return needs;
}

double in_millimetres(double pixels) { return pixels / kPixelsPerMillimetre; }

}  // namespace

double Layout::panel_width() const {
  return (sheet.width - (strip.right ? strip.size : 0) - y_label) / static_cast<double>(columns);
}

double Layout::panel_height() const {
  return (sheet.height - heading - (strip.below ? strip.size : 0)) / static_cast<double>(rows);
}

double Layout::plot_width() const {
  constexpr double kNumbers = 10;  // the letters of the y axis, and half of the last of the x axis
  return panel_width() + y_label - (box.height + kNumbers * box.width) * letter;
}

double Layout::title_width() const {
  constexpr double kRight = 2.5;  // letters, free right of the axes
  return plot_width() + 2 * kRight * box.width * letter;
}

double Layout::plot_height() const {
  constexpr double kLines = 6;  // a title, and below the axis numbers and a label
  return panel_height() - kLines * box.height * letter;
}

bool is_inside_plot(Legend legend) {
  return legend != Legend::kBelow && legend != Legend::kRight && legend != Legend::kNone;
}

LegendSize legend_size(const std::vector<Series>& series, const Layout& layout) {
  constexpr double kMargin = 1.5;  // letters
  const auto lines = static_cast<double>(labelled_of(series));
  return {(entry_width(series, layout) + kMargin * layout.letter) / layout.plot_width(),
          (lines * own_legend_line(layout) + kMargin) * layout.letter / layout.plot_height()};
}

std::vector<Series> drawn_series(const Panels& panels) {
  std::vector<Series> all = panels.figures.front().series;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const auto has_points = [&](const Figure& panel) { return !panel.series[s].x.empty(); };
    if (std::none_of(panels.figures.begin(), panels.figures.end(), has_points)) all[s].label = "";
  }
  return all;
}

namespace {

// The height of the sheet, where the legend has its place; `narrower` than usual it is.
void set_height(const Panels& panels, const PlotStyle& style, double narrower, Layout& layout) {
  const bool alone = panels.figures.size() == 1;
  const double below = layout.strip.below ? layout.strip.size : 0;
  // A single figure of the usual height has room for two lines of a legend, in letters of the usual
  // size.
  const double room = 2 * kUsualLegendLine * kFontSize * kPixelsPerPoint * narrower;
  const double legend_more = alone ? std::max(0.0, below - room) : below;
  const double height = alone ? Sheet().height : kPanelHeight * static_cast<double>(layout.rows);
  layout.sheet.height = style.height ? *style.height * kPixelsPerMillimetre
                                     : height * narrower + layout.heading + legend_more;
  if (!style.height) {
    layout.sheet.height +=
        slanted_height(panels.figures.front(), layout) * static_cast<double>(layout.rows);
    layout.sheet.height = std::max(layout.sheet.height, needs_of(panels, layout).height);
  }
}

constexpr double kMostWide = 0.9;  // a legend, of what is within the axes
constexpr double kMostHigh = 0.6;

// Where the height is not asked for, a sheet is higher by as much as a legend within the axes
// needs, unless that is a lot.
void make_room_inside(const Panels& panels, const PlotStyle& style, Layout& layout) {
  if (style.height) return;
  constexpr double kMostHigher = 1.4;
  const double high = legend_size(panels.figures.front().series, layout).height;
  const double more = layout.plot_height() * (high / kMostHigh - 1) + 1;
  const double height = layout.sheet.height + more * static_cast<double>(layout.rows);
  if (high > kMostHigh && height <= kMostHigher * layout.sheet.height) layout.sheet.height = height;
}

// The label of the y axis is at the left panels alone, if it is the same for all.
double y_label_width(const Panels& panels, const PlotStyle& style, const Layout& layout) {
  const std::string& label = panels.figures.front().y_label;
  const bool same =
      style.y_label || std::all_of(panels.figures.begin(), panels.figures.end(),
                                   [&](const Figure& panel) { return panel.y_label == label; });
  const bool empty = style.y_label.value_or(label).empty();
  return layout.columns > 1 && same && !empty ? layout.box.height * layout.letter : 0;
}

// With the legend where the last row has no panel, if it has room there; else as it is.
Layout with_legend_in_gap(const Panels& panels, const PlotStyle& style, double narrower,
                          Layout layout) {
  const std::size_t empty = layout.columns * layout.rows - panels.figures.size();
  const auto series = drawn_series(panels);
  const auto labelled = labelled_of(series);
  if (!layout.strip.below || empty == 0 || labelled == 0) return layout;
  const Layout without = layout;
  const double entry = entry_width(series, layout);
  const double width = static_cast<double>(empty) * layout.panel_width();
  layout.strip = {false, false, true, legend_columns(labelled, width, entry), 0};
  set_height(panels, style, narrower, layout);
  const double height = legend_lines(labelled, layout.strip.columns) * kLegendLine * layout.letter;
  return entry <= width && height <= layout.panel_height() ? layout : without;
}

LetterBox letter_box_of(const std::filesystem::path& file) {
  const auto type = file.extension();
  if (type == ".svg") return {0.7, 1.5};
  if (type == ".tex") return {0.5235, 0.873};
  return {0.6365, 1.164};
}

}  // namespace

Layout layout_of(const Panels& panels, const std::filesystem::path& file, const PlotStyle& style) {
  const bool alone = panels.figures.size() == 1;
  const Sheet figure;
  Layout layout;
  layout.is_tex = file.extension() == ".tex";
  layout.box = letter_box_of(file);
  layout.columns = columns_of(panels.figures.size(), style);
  layout.rows = (panels.figures.size() + layout.columns - 1) / layout.columns;
  const double usual = alone ? figure.width : kPanelWidth * static_cast<double>(layout.columns);
  const double width = style.width ? *style.width * kPixelsPerMillimetre : usual;
  layout.sheet = {width, 0, style.font.value_or(figure.font),
                  points_of(width / usual, file, style)};
  layout.letter =
      (layout.sheet.font_size > 0 ? layout.sheet.font_size : kFontSize) * kPixelsPerPoint;
  layout.y_label = y_label_width(panels, style, layout);
  const std::string title = style.title.value_or(panels.title);
  if (!alone && !title.empty()) {
    const double more = lines_of(broken(title, width, layout)) - 1;
    layout.heading = (kHeading + more * kLineHeight) * layout.letter;
  }
  layout.legend = style.legend.value_or(panels.figures.front().legend);
  layout.strip = strip_of(drawn_series(panels), layout.legend, layout);
  set_height(panels, style, width / usual, layout);
  if (is_inside_plot(layout.legend)) {
    make_room_inside(panels, style, layout);
    const LegendSize size = legend_size(panels.figures.front().series, layout);
    if (size.width <= kMostWide && size.height <= kMostHigh) return layout;
    layout.legend = Legend::kBelow;
    layout.strip = strip_of(drawn_series(panels), layout.legend, layout);
    set_height(panels, style, width / usual, layout);
  }
  return with_legend_in_gap(panels, style, width / usual, layout);
}

PlotNote size_note(const Panels& panels, const std::filesystem::path& file,
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
  const std::size_t panels_of_it = panels.figures.size();
  const auto size =
      fmt::format(" at least {:.0f} x {:.0f} mm", std::ceil(in_millimetres(layout.sheet.width)),
                  std::ceil(in_millimetres(height)));
  const auto need = [&](const char* whose) {
    return fmt::format("{} {} panels need", whose, panels_of_it);
  };
  const bool alone = panels_of_it == 1;
  Layout without = asked;  // its legend
  without.strip.below = false;
  const double width = asked.sheet.width;
  const bool by_names = asked.strip.below && legend_need(panels, asked) > width &&
                        needs_of(panels, without).width <= width;
  const std::string remedy =
      by_names ? ", or shorter names in the legend (of policies: --name)" : "";
  return {"", file.filename().string(),
          " is too small to be read: " + (alone ? "it needs" : need("its")) + size + remedy,
          " are too small to be read: " + (alone ? "they need" : need("their")) + size + remedy};
}

PlotNote size_note(const Figure& figure, const std::filesystem::path& file,
                   const PlotStyle& style) {
  return size_note(Panels{figure.title, {figure}}, file, style);
}

}  // namespace dcmrank::gnuplot
