#include "dcmrank/plot/style.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {
namespace {

const Choices<Legend> kLegends{{"below", Legend::kBelow},
                               {"right", Legend::kRight},
                               {"top-left", Legend::kTopLeft},
                               {"top-right", Legend::kTopRight},
                               {"bottom-left", Legend::kBottomLeft},
                               {"bottom-right", Legend::kBottomRight},
                               {"none", Legend::kNone}};

double number(const std::string& value, double least, double most, const std::string& what) {
  const auto number = parse_double(value);
  if (!number || !(*number >= least && *number <= most)) {
    throw InputError(
        fmt::format("{} is {}, not a number from {:g} to {:g}", what, quote(value), least, most));
  }
  return *number;
}

std::pair<double, double> range(const std::string& value, const std::string& what) {
  const std::size_t colon = value.find(':');
  const auto low = parse_double(value.substr(0, colon));
  const auto high =
      colon == std::string::npos ? std::nullopt : parse_double(value.substr(colon + 1));
  if (!low || !high || !(*low < *high)) {
    throw InputError(fmt::format("{} is {}, not a range such as 0:100", what, quote(value)));
  }
  return {*low, *high};
}

bool is_colour(std::string_view text) {
  return text.size() == 7 && text[0] == '#' &&
         std::all_of(text.begin() + 1, text.end(),
                     [](unsigned char c) { return std::isxdigit(c) != 0; });
}

std::vector<std::string> colours(const std::string& value, const std::string& what) {
  std::vector<std::string> result;
  for (const std::string_view one : split(value, ',')) {
    if (!is_colour(one)) {
      throw InputError(
          fmt::format("{} is {}, not colours such as #0072B2,#D55E00", what, quote(value)));
    }
    result.emplace_back(one);
  }
  return result;
}

std::string font(const std::string& value, const std::string& what) {
  const bool is_name =
      !value.empty() && std::all_of(value.begin(), value.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == ' ' || c == '-';
      });
  if (!is_name)
    throw InputError(fmt::format("{} is {}, not the name of a font", what, quote(value)));
  return value;
}

constexpr double kLeastSize = 20;
constexpr double kMostSize = 1000;

struct Field {
  StyleField words;
  void (*set)(PlotStyle& style, const std::string& value, const std::string& what);
};

const std::vector<Field>& fields() {
  using S = const std::string&;
  static const std::vector<Field> all{
      {{"width", "MM", "Width in millimetres: 85 is a column, 170 a page"},
       [](PlotStyle& s, S v, S what) { s.width = number(v, kLeastSize, kMostSize, what); }},
      {{"height", "MM", "Height in millimetres"},
       [](PlotStyle& s, S v, S what) { s.height = number(v, kLeastSize, kMostSize, what); }},
      {{"font", "NAME", "Font"}, [](PlotStyle& s, S v, S what) { s.font = font(v, what); }},
      {{"font-size", "PT", "Font size in points"},
       [](PlotStyle& s, S v, S what) { s.font_size = number(v, 3, 72, what); }},
      {{"title", "TEXT", "Title; empty for none"}, [](PlotStyle& s, S v, S) { s.title = v; }},
      {{"x-label", "TEXT", "Label of the x axis"}, [](PlotStyle& s, S v, S) { s.x_label = v; }},
      {{"y-label", "TEXT", "Label of the y axis"}, [](PlotStyle& s, S v, S) { s.y_label = v; }},
      {{"x-range", "A:B", "Range of the x axis"},
       [](PlotStyle& s, S v, S what) { s.x_range = range(v, what); }},
      {{"y-range", "A:B", "Range of the y axis"},
       [](PlotStyle& s, S v, S what) { s.y_range = range(v, what); }},
      {{"colours", "#RRGGBB,...", "Colours of the lines, in order"},
       [](PlotStyle& s, S v, S what) { s.colours = colours(v, what); }},
      {{"legend", "WHERE",
        "Place of the legend: below, right, top-left, top-right, bottom-left, bottom-right or "
        "none"},
       [](PlotStyle& s, S v, S what) { s.legend = choose(what, v, kLegends); }}};
  return all;
}

}  // namespace

const std::vector<StyleField>& style_fields() {
  static const std::vector<StyleField> words = [] {
    std::vector<StyleField> result;
    for (const Field& field : fields()) result.push_back(field.words);
    return result;
  }();
  return words;
}

void set_style(PlotStyle& style, const std::string& name, const std::string& value,
               const std::string& what) {
  const auto name_of = [](const Field& field) -> const std::string& { return field.words.name; };
  choose(what, name, fields(), name_of).set(style, value, what);
}

}  // namespace dcmrank
