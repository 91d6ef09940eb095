#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dcmrank {

/// Where the legend of a figure goes.
enum class Legend { kBelow, kRight, kTopLeft, kTopRight, kBottomLeft, kBottomRight, kNone };

/// The style of a figure. What is not set has its default.
struct PlotStyle {
  std::optional<double> width{};  // millimetres; the height follows where it is not set
  std::optional<double> height{};
  std::optional<std::string> font{};
  std::optional<double> font_size{};  // points
  std::optional<std::string> title{};
  std::optional<std::string> x_label{};
  std::optional<std::string> y_label{};
  std::optional<std::pair<double, double>> x_range{};
  std::optional<std::pair<double, double>> y_range{};
  std::vector<std::string> colours{};  // #rrggbb, of the series in their order
  std::optional<Legend> legend{};
  std::map<std::string, std::string> names{};  // what policies are called
};

/// Sets one field by its name, as options and style files give it. Throws InputError that begins
/// with `what`, if the value is invalid or the name unknown.
void set_style(PlotStyle& style, const std::string& name, const std::string& value,
               const std::string& what);

/// The names of the fields, and what each takes, in the words of --help.
struct StyleField {
  std::string name;
  std::string type;
  std::string help;
};
const std::vector<StyleField>& style_fields();

}  // namespace dcmrank
