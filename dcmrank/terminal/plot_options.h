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

/// The name of the picture, empty for none. Throws InputError where it cannot be drawn, or a style
/// was given for nothing.
const std::string& drawable(const PlotArguments& arguments);

/// What the style file says, and the options, which come before it.
PlotStyle plot_style(const PlotArguments& arguments);

}  // namespace dcmrank::command
