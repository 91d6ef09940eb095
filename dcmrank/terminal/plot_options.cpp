#include "dcmrank/terminal/plot_options.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/plot/draw.h"
#include "dcmrank/plot/figure.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/toml/toml.h"

namespace dcmrank::command {
namespace {

std::string option_of(const std::string& field) { return "--plot-" + field; }

// In a file, names have underscores, as those of TOML files usually have; hyphens are taken too.
std::string field_of(std::string member) {
  std::replace(member.begin(), member.end(), '_', '-');
  return member;
}

std::vector<std::string> member_names() {
  auto names = names_of(style_fields(), &StyleField::name);
  for (std::string& name : names) std::replace(name.begin(), name.end(), '-', '_');
  return names;
}

std::string text_of(const TomlValue& value) {
  if (const auto* whole = value.as<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto* number = value.as<double>()) return fmt::format("{}", *number);
  const auto* list = value.as<TomlValue::Array>();
  if (list == nullptr) return value.text("a text or a number");
  std::vector<std::string> texts;
  for (const TomlValue& one : *list) texts.push_back(one.text());
  return fmt::format("{}", fmt::join(texts, ","));
}

void read_style_file(const std::string& path, PlotStyle& style) {
  claim_input(path);
  const TomlValue file = parse_toml(read_file(path), path);
  const auto known = member_names();
  for (const TomlMember& member : file.table()) {
    if (member.name == "names") {
      for (const TomlMember& one : member.value.table()) style.names[one.name] = one.value.text();
      continue;
    }
    std::string name = member.name;
    std::replace(name.begin(), name.end(), '-', '_');
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError(fmt::format("{}: a style has no {}{}; it may have names, {}",
                                   member.value.where, quote(member.name), suggestion(name, known),
                                   fmt::join(known, ", ")));
    }
    set_style(style, field_of(member.name), text_of(member.value),
              fmt::format("{}: {}", member.value.where, member.name));
  }
}

}  // namespace

void add_plot_options(CLI::App& command, PlotArguments& arguments, const std::string& what) {
  arguments.command = &command;
  command
      .add_option("--plot", arguments.files,
                  fmt::format("Draw {} (.svg, .png, .pdf, .eps, or .tex for TikZ, which needs the "
                              "LaTeX package gnuplot-lua-tikz); a gnuplot script with the data, to "
                              "redraw it, is written next to it; repeat for several files",
                              what))
      ->type_name("FILE")
      ->take_all()
      ->expected(1);
  command
      .add_option("--plot-style", arguments.style_file,
                  fmt::format("Style of the figure, as TOML, such as width = 85; the options below "
                              "take precedence. Names: {}",
                              fmt::join(member_names(), ", ")))
      ->type_name("FILE.toml");
  for (const StyleField& field : style_fields()) {
    arguments.fields.emplace_back(field.name, std::make_unique<std::string>());
    command.add_option(option_of(field.name), *arguments.fields.back().second, field.help)
        ->type_name(field.type);
  }
}

void add_name_option(CLI::App& command, std::vector<std::string>& names) {
  command
      .add_option("--name", names,
                  "What a policy is called in pictures and LaTeX tables, such as "
                  "dcm-ts='Thompson sampling'; repeat for others")
      ->type_name("POLICY=NAME")
      ->take_all()
      ->expected(1);
}

PolicyNames names_of_policies(const std::vector<std::string>& names, const PlotStyle& style,
                              const std::vector<std::string>& policies) {
  PolicyNames known = style.names;
  for (const std::string& text : names) {
    std::string policy;  // a policy may have options, with "="
    for (const std::string& one : policies) {
      if (text.starts_with(one + "=") && one.size() > policy.size()) policy = one;
    }
    if (policy.empty()) throw_unknown("--name", text.substr(0, text.rfind('=')), policies);
    known[policy] = text.substr(policy.size() + 1);
  }
  return known;
}

std::string called(const PolicyNames& names, const std::string& policy) {
  const auto found = names.find(policy);
  return found == names.end() ? policy : found->second;
}

namespace {

// A table, in which policies may have other names, too.
bool writes_latex(const CLI::App& command) {
  const CLI::Option* const table = command.get_option_no_throw("--table-latex");
  return table != nullptr && table->count() > 0;
}

}  // namespace

void claim_scripts(const std::vector<std::string>& pictures) {
  std::set<std::filesystem::path> scripts;  // a.svg and a.pdf have the same
  for (const std::string& picture : pictures) {
    scripts.insert(std::filesystem::absolute(script_beside(picture)).lexically_normal());
  }
  for (const std::filesystem::path& script : scripts) claim_output(script);
}

const std::vector<std::string>& drawable(const PlotArguments& arguments) {
  for (const std::string& file : arguments.files) {
    if (file == "-") throw InputError("--plot cannot be written to stdout");
    check_can_draw(file);
  }
  if (!arguments.files.empty()) return arguments.files;
  for (const auto& [name, value] : arguments.fields) {
    if (arguments.command->count(option_of(name)) > 0) {
      throw InputError(fmt::format("{} needs --plot", option_of(name)));
    }
  }
  if (!arguments.style_file.empty() && !writes_latex(*arguments.command)) {
    throw InputError("--plot-style needs --plot, or --table-latex, which takes its names");
  }
  return arguments.files;
}

PlotStyle plot_style(const PlotArguments& arguments) {
  PlotStyle style;
  if (!arguments.style_file.empty()) read_style_file(arguments.style_file, style);
  for (const auto& [name, value] : arguments.fields) {
    if (arguments.command->count(option_of(name)) == 0) continue;
    set_style(style, name, *value, option_of(name));
  }
  return style;
}

}  // namespace dcmrank::command
