#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "dcmrank/plot/draw.h"
#include "dcmrank/plot/style.h"
#include "dcmrank/terminal/options.h"

namespace dcmrank::command {

/// --plot FILE, several times, and how it is to look, as they were typed. Shared by all commands
/// that draw.
struct PlotArguments {
  std::vector<std::string> files;
  std::string style_file;
  std::vector<std::pair<std::string, std::unique_ptr<std::string>>> fields;  // name, value
  CLI::App* command = nullptr;
};

/// `what` is drawn: "the regret curves".
void add_plot_options(CLI::App& command, PlotArguments& arguments, const std::string& what);

/// The names of the pictures. Throws InputError if one cannot be drawn, or if a style was given
/// without a picture.
const std::vector<std::string>& drawable(const PlotArguments& arguments);

/// The style from the file and the options, which take precedence.
PlotStyle plot_style(const PlotArguments& arguments);

/// Other names of policies, by how they were typed.
using PolicyNames = std::map<std::string, std::string>;
/// --name POLICY=NAME, several times.
void add_name_option(CLI::App& command, std::vector<std::string>& names);
/// Those of the style, then those of the options, which take precedence and must be of one of the
/// policies.
PolicyNames names_of_policies(const std::vector<std::string>& names, const PlotStyle& style,
                              const std::vector<std::string>& policies);
std::string called(const PolicyNames& names, const std::string& policy);

/// Claims the scripts beside these pictures as outputs, each once.
void claim_scripts(const std::vector<std::string>& pictures);

/// The pictures, opened before the work: one drawing in each of them.
class Pictures {
 public:
  explicit Pictures(const PlotArguments& arguments) : style_(plot_style(arguments)) {
    for (const std::string& file : drawable(arguments)) outputs_.emplace_back(file);
    claim_scripts(arguments.files);
  }
  explicit operator bool() const { return !outputs_.empty(); }
  const PlotStyle& style() const { return style_; }

  /// Prints what a user should know of them, once for all files.
  template <class Drawing>
  void draw(const Drawing& drawing) {
    PlotNotes notes;
    const auto print = [&] { print_notes(told_once(notes)); };
    try {
      for (Output& output : outputs_) {
        for (PlotNote& note : dcmrank::draw(drawing, output.file(), style_)) {
          notes.push_back(std::move(note));
        }
      }
    } catch (...) {
      print();
      throw;
    }
    print();
  }

 private:
  PlotStyle style_;
  std::list<Output> outputs_;
};

}  // namespace dcmrank::command
