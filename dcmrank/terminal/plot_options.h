#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "dcmrank/plot/style.h"

namespace dcmrank::command {

/// --plot FILE and how it is to look, as they were typed. Shared by all commands that draw.
struct PlotArguments {
  std::string file;
  std::string style_file;
  std::vector<std::pair<std::string, std::unique_ptr<std::string>>> fields;  // name, value
  CLI::App* command = nullptr;
};

/// `what` is drawn: "the regret curves".
void add_plot_options(CLI::App& command, PlotArguments& arguments, const std::string& what);

/// The name of the picture, empty for none. Throws InputError if it cannot be drawn, or if a style
/// was given without a picture.
const std::string& drawable(const PlotArguments& arguments);

/// The style from the file and the options, which take precedence.
PlotStyle plot_style(const PlotArguments& arguments);

}  // namespace dcmrank::command
