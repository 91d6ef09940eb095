#include "dcmrank/plot/legend.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dcmrank/plot/x_range.h"

namespace dcmrank::gnuplot {
namespace {

bool is_on_top(Legend legend) { return legend == Legend::kTopLeft || legend == Legend::kTopRight; }
bool is_left(Legend legend) { return legend == Legend::kTopLeft || legend == Legend::kBottomLeft; }

// What a figure shows, on its axes.
struct Extents {
  Range x{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  Range y = x;
};

template <class Use>
void for_points(const Figure& figure, const Window& window, const Use& use) {
  for (const Series& series : figure.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const double high = series.high(i);
      const double low = window.log_y && series.low(i) <= 0 ? series.y[i] : series.low(i);
      if ((window.log_x && series.x[i] <= 0) || (window.log_y && low <= 0)) continue;
      use(series, i,
          BandPoint{along(series.x[i], window.log_x), along(low, window.log_y),
                    along(high, window.log_y)});
    }
  }
}

Extents extents_of(const std::vector<Figure>& figures, const Window& window) {
  Extents box;
  for (const Figure& figure : figures) {
    for_points(figure, window, [&](const Series&, std::size_t, const BandPoint& point) {
      box.x = {std::min(box.x.first, point.x), std::max(box.x.second, point.x)};
      box.y = {std::min(box.y.first, point.low), std::max(box.y.second, point.high)};
    });
  }
  return box;
}

// How high and how low lines go over a part of the x axis, straight from point to point.
Range heights_over(const Figure& figure, const Window& window, const Range& part) {
  Range heights{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const auto take = [&](double low, double high) {
    heights = {std::min(heights.first, low), std::max(heights.second, high)};
  };
  const Series* of_last = nullptr;
  BandPoint last;
  for_points(figure, window, [&](const Series& series, std::size_t, const BandPoint& point) {
    if (point.x >= part.first && point.x <= part.second) take(point.low, point.high);
    if (of_last == &series && series.style != Style::kPoints && point.x > last.x) {
      for (const double edge : {part.first, part.second}) {
        const double share = (edge - last.x) / (point.x - last.x);
        if (!(share > 0 && share < 1)) continue;
        take(last.low + share * (point.low - last.low),
             last.high + share * (point.high - last.high));
      }
    }
    of_last = &series;
    last = point;
  });
  return heights;
}

struct Room {
  std::optional<Range> range{};  // of the y axis, on which nothing is covered
  bool is_covered = false;       // there is none
};

Room room_for(const std::vector<Figure>& figures, const PlotStyle& style, const Layout& layout) {
  if (!is_inside_plot(layout.legend)) return {};
  const Figure& first = figures.front();
  const Window window = window_of(first, style);
  const Extents shown = extents_of(figures, window);
  if (!(shown.x.second >= shown.x.first)) return {};
  const LegendSize size = legend_size(first.series, layout);
  constexpr double kRounded = 1.2;  // gnuplot goes on to the next decade
  const auto shown_x = x_range_of(first, style, layout);
  const Range x = shown_x ? on_axis(*shown_x, window.log_x) : shown.x;
  const double across = std::max(x.second - x.first, 1e-9) * size.width * (shown_x ? 1 : kRounded);
  const Range part =
      is_left(layout.legend) ? Range(-1e300, x.first + across) : Range(x.second - across, 1e300);
  const Range heights = heights_over(first, window, part);
  const auto given = style.y_range ? style.y_range : common_range(figures, style);
  Range y = given ? on_axis(*given, window.log_y) : shown.y;
  if (!given && !window.log_y) y.first = std::min(0.0, y.first);
  if (!(heights.second >= heights.first)) return {};
  if (!is_on_top(layout.legend)) {
    return {{}, heights.first < y.first + size.height * (y.second - y.first)};
  }
  const double needed = y.first + (heights.second - y.first) / (1 - size.height);
  if (needed <= y.second) return {};
  const double high = window.log_y ? std::pow(10, needed) : needed;
  const double low = window.log_y ? std::pow(10, y.first) : y.first;
  return {Range(low, high), style.y_range.has_value()};
}

}  // namespace

std::string legend_looks(const std::vector<Series>& series, const Layout& layout) {
  return fmt::format("Left reverse noenhanced samplen {} spacing 1.2 width {:.3f}", kLegendSample,
                     wider_by(series, layout));
}

std::string legend_line(Legend legend, const std::vector<Series>& series, const Layout& layout) {
  const std::string looks = legend_looks(series, layout);
  switch (legend) {
    case Legend::kBelow:  // not as close to the label of the axis as gnuplot has it
      return fmt::format("set key below maxcols {} {} height 0.8", layout.strip.columns, looks);
    case Legend::kRight:
      return fmt::format("set key outside right top {}", looks);
    case Legend::kTopLeft:
      return fmt::format("set key inside left top {} opaque", looks);
    case Legend::kTopRight:
      return fmt::format("set key inside right top {} opaque", looks);
    case Legend::kBottomLeft:
      return fmt::format("set key inside left bottom {} opaque", looks);
    case Legend::kBottomRight:
      return fmt::format("set key inside right bottom {} opaque", looks);
    case Legend::kNone:
      break;
  }
  return "unset key";
}

std::optional<Range> common_range(const std::vector<Figure>& figures, const PlotStyle& style) {
  if (style.y_range) return std::nullopt;
  if (figures.front().axes == Axes::kLogLog) return decades_of(figures);
  if (figures.size() == 1) return std::nullopt;
  double least = 0;
  double most = 0;
  for_values(figures, [&](double /*y*/, double low, double high) {
    least = std::min(least, low);
    most = std::max(most, high);
  });
  constexpr double kMargin = 1.05;
  return Range(kMargin * least, most > least ? kMargin * most : 1);
}

std::optional<Range> range_with_legend(const std::vector<Figure>& figures, const PlotStyle& style,
                                       const Layout& layout) {
  const Room room = room_for(figures, style, layout);
  if (room.range && !room.is_covered) return room.range;
  return common_range(figures, style);
}

PlotNote legend_note(const Panels& panels, const std::filesystem::path& file,
                     const PlotStyle& style) {
  const Layout layout = layout_of(panels, file, style);
  const Legend asked = style.legend.value_or(panels.figures.front().legend);
  if (asked != layout.legend) {
    return {"the legend of ", file.filename().string(),
            fmt::format(" has no room inside {}: it is below",
                        panels.figures.size() == 1 ? "the axes" : "a panel")};
  }
  const Room room = room_for(panels.figures, style, layout);
  if (!room.is_covered) return {};
  return {"the legend of ", file.filename().string(),
          fmt::format(" covers lines: {}",
                      room.range ? fmt::format("a y range of {:.3g}:{:.3g} leaves room for it",
                                               room.range->first, room.range->second)
                                 : "another corner, below or right may be free")};
}

PlotNote legend_note(const Figure& figure, const std::filesystem::path& file,
                     const PlotStyle& style) {
  return legend_note(Panels{figure.title, {figure}}, file, style);
}

void check_points_of(const Panels& panels, const std::filesystem::path& file,
                     const PlotStyle& style) {
  check_points(panels, style, file.string(), Known::kAll);
}

void check_points_of(const Figure& figure, const std::filesystem::path& file,
                     const PlotStyle& style) {
  check_points({figure.title, {figure}}, style, file.string(), Known::kAll);
}

}  // namespace dcmrank::gnuplot
