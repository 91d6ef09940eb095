#include "dcmrank/plot/ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace dcmrank::gnuplot {
namespace {

constexpr double kTickHeight = 1.6;  // letters
constexpr double kUsualTicks = 10;   // that gnuplot sets at most

struct Extent {
  double low = 0;
  double high = 0;
};

template <class Values>
std::optional<Extent> extent_of(const Figure& figure, const Values& values) {
  std::optional<Extent> extent;
  for (const Series& series : figure.series) {
    for (const double value : series.*values) {
      if (!extent) extent = Extent{value, value};
      extent = Extent{std::min(extent->low, value), std::max(extent->high, value)};
    }
  }
  return extent;
}

// 1, 2 or 5 times a power of ten.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= least * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

// Nothing where gnuplot is to choose.
std::optional<double> step_of(const Extent& extent, double most, bool whole) {
  const double span = extent.high - extent.low;
  if (!(span > 0) || !std::isfinite(span)) return std::nullopt;
  const bool crowded = most < kUsualTicks;
  if (!crowded && !(whole && span < kUsualTicks)) return std::nullopt;
  const double step = round_step(span / std::max(2.0, std::floor(most)));
  return whole ? std::max(step, 1.0) : step;
}

// Of a narrow panel, where hardly one tick would be among the points, the ends and the middle.
std::string linear_ticks(const Extent& extent, double most, bool whole) {
  const auto step = step_of(extent, most, whole);
  if (!step) return {};
  constexpr double kRounded = 1e-9;
  const double first = std::ceil(extent.low / *step - kRounded);
  const double last = std::floor(extent.high / *step + kRounded);
  if (last > first) return fmt::format("set xtics {:g}\n", *step);
  const double middle = (extent.low + extent.high) / 2;
  return fmt::format("set xtics ({:g}, {}{:g})\n", extent.low,
                     most < 3 ? "" : fmt::format("{:g}, ", middle), extent.high);
}

// Where a number for every decade has no room.
std::string decade_ticks(const Extent& extent, double most) {
  if (!(extent.low > 0) || !std::isfinite(extent.high)) return {};
  const double decades = std::ceil(std::log10(extent.high)) - std::floor(std::log10(extent.low));
  const double step = std::ceil(decades / std::max(1.0, std::floor(most)));
  return step > 1 ? fmt::format("set xtics {:g}\n", std::pow(10, step)) : "";
}

bool has_whole_x(const Figure& figure) {
  return std::all_of(figure.series.begin(), figure.series.end(), [](const Series& series) {
    return std::all_of(series.x.begin(), series.x.end(),
                       [](double x) { return x == std::floor(x); });
  });
}

std::set<double> values_of(const Figure& figure) {
  std::set<double> values;
  for (const Series& series : figure.series) values.insert(series.x.begin(), series.x.end());
  return values;
}

constexpr std::size_t kFewValues = 8;

// Few values, as of a grid: ticks are where they are, if their numbers have room side by side.
std::string linear_value_ticks(const std::set<double>& values, double across, double letter) {
  constexpr std::size_t kMostDigits = 6;  // of more, as of thirds, round numbers between say more
  if (values.size() < 2 || values.size() > kFewValues) return {};
  const double pixels = across / (*values.rbegin() - *values.begin());
  double end = 0;  // of the number before
  for (const double value : values) {
    const std::size_t digits = fmt::format("{:g}", value).size();
    if (digits > kMostDigits) return {};
    const double half = static_cast<double>(digits + 1) * letter / 2;
    const double place = (value - *values.begin()) * pixels;
    if (value > *values.begin() && place - half < end) return {};
    end = place + half;
  }
  return fmt::format("set xtics ({:g})\n", fmt::join(values, ", "));
}

// Few values, whose decades alone would say little.
std::string value_ticks(const Figure& figure, const PlotStyle& style, double most) {
  std::set<double> values = values_of(figure);
  values.erase(values.begin(), values.upper_bound(0));
  constexpr double kFarApart = 1000;
  if (values.size() < 2 || values.size() > kFewValues ||
      static_cast<double>(values.size()) > most || *values.rbegin() / *values.begin() > kFarApart) {
    return {};
  }
  std::string text = fmt::format("set xtics ({:g})\n", fmt::join(values, ", "));
  constexpr double kMargin = 1.1;
  if (!style.x_range) {
    text += fmt::format("set xrange [{:g}:{:g}]\n", *values.begin() / kMargin,
                        *values.rbegin() * kMargin);
  }
  return text;
}

// Names of categories that have no room side by side are slanted; where even that leaves too little
// between them, or room left of the first ones, they are upright.
enum class Lay : std::uint8_t { kFlat, kSlanted, kUpright };

constexpr double kSine = 0.5;  // of 30 degrees
constexpr double kCosine = 0.87;

double slot_of(const Figure& figure, const Layout& layout) {
  return layout.plot_width() /
         static_cast<double>(std::max<std::size_t>(figure.categories.size(), 1));
}

// How far slanted names reach to the left of the axes.
double left_of_axes(const Figure& figure, const Layout& layout) {
  double most = 0;
  for (std::size_t n = 0; n < figure.categories.size(); ++n) {
    most = std::max(most, layout.width_of(figure.categories[n]) * kCosine -
                              (static_cast<double>(n) + 0.5) * slot_of(figure, layout));
  }
  return most;
}

Lay lay_of(const Figure& figure, const Layout& layout) {
  const double slot = slot_of(figure, layout);
  if (layout.widest_of(figure.categories) <= slot) return Lay::kFlat;
  constexpr double kMostLeft = 0.25;  // of the panel
  const bool crowded = slot * kSine < layout.letter;
  const bool wide = left_of_axes(figure, layout) > kMostLeft * layout.panel_width();
  return crowded || wide ? Lay::kUpright : Lay::kSlanted;
}

std::string category_ticks(const Figure& figure, const PlotStyle& style, const Layout& layout) {
  std::vector<std::string> names;
  for (const std::string& name : figure.categories) {
    names.push_back(fmt::format("{} {}", layout.text(name), names.size() + 1));
  }
  const Lay lay = lay_of(figure, layout);
  std::string text = fmt::format("set xtics ({}) noenhanced scale 0{}\n", fmt::join(names, ", "),
                                 lay == Lay::kSlanted   ? " rotate by 30 right"
                                 : lay == Lay::kUpright ? " rotate by 90 right"
                                                        : "");
  // gnuplot would leave room at the right, where slanted names have none to take, and none at the
  // left, where they take it.
  if (lay == Lay::kSlanted) {
    constexpr double kUsualMargin = 9;  // letters
    text += fmt::format(
        "set rmargin 3\nset lmargin {:.0f}\n",
        std::max(kUsualMargin,
                 std::ceil(left_of_axes(figure, layout) / (kLetterWidth * layout.letter)) + 1));
  }
  if (!style.x_range) text += fmt::format("set xrange [0.5:{}.5]\n", names.size());
  return text;
}

}  // namespace

double slanted_height(const Figure& figure, const Layout& layout) {
  const double longest = layout.widest_of(figure.categories);
  const Lay lay = lay_of(figure, layout);
  return lay == Lay::kFlat ? 0 : lay == Lay::kSlanted ? kSine * longest : longest;
}

std::string tick_lines(const Figure& figure, const PlotStyle& style, const Layout& layout) {
  std::string text;
  const bool log_x = figure.axes != Axes::kLinear;
  const auto x = style.x_range ? std::optional(Extent{style.x_range->first, style.x_range->second})
                               : extent_of(figure, &Series::x);
  const auto y = style.y_range ? std::optional(Extent{style.y_range->first, style.y_range->second})
                               : extent_of(figure, &Series::y);
  const double across = layout.plot_width();
  if (!figure.categories.empty()) {
    text += category_ticks(figure, style, layout);
  } else if (x) {
    const std::size_t digits = fmt::format("{:g}", x->high).size();
    const double letter = std::min(layout.box.width, kLetterWidth) * layout.letter;
    const double most = across / (static_cast<double>(digits + 2) * letter);
    if (!log_x) {
      const std::string values =
          style.x_range ? "" : linear_value_ticks(values_of(figure), across, letter);
      text += values.empty() ? linear_ticks(*x, most, has_whole_x(figure)) : values;
    } else {
      const std::string values = value_ticks(figure, style, most);
      text += values.empty() ? decade_ticks(*x, most) : values;
    }
  }
  if (y && figure.axes != Axes::kLogLog) {
    const double down = layout.plot_height() - slanted_height(figure, layout);
    const double low = style.y_range ? y->low : std::min(0.0, y->low);
    const auto step = step_of({low, y->high}, down / (kTickHeight * layout.letter), false);
    if (step) text += fmt::format("set ytics {:g}\n", *step);
  }
  return text;
}

}  // namespace dcmrank::gnuplot
