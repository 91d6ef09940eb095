#include "dcmrank/manual/words.h"

#include <CLI/CLI.hpp>

namespace dcmrank::manual {
namespace {

Option option_of(const CLI::Option& option) {
  Option result;
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  result.positional = result.names.empty();
  if (result.positional) result.names.push_back(option.get_name());
  if (option.get_items_expected_max() > 0) result.value = option.get_type_name();
  result.help = option.get_description();
  result.usual = option.get_default_str();
  result.required = option.get_required();
  return result;
}

Command command_of(const CLI::App& app) {
  Command command{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) command.options.push_back(option_of(*option));
  }
  return command;
}

}  // namespace

Program words_of(const CLI::App& app) {
  Program program{command_of(app), {}};
  program.itself.name = "dcmrank";
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    program.commands.push_back(command_of(*one));
  }
  return program;
}

}  // namespace dcmrank::manual
