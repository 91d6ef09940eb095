#include "dcmrank/manual/words.h"

#include <CLI/CLI.hpp>

#include "dcmrank/manual/offer.h"

namespace dcmrank::manual {
namespace {

Option option_of(CLI::Option& option) {
  Option result;
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  result.positional = result.names.empty();
  if (result.positional) result.names.push_back(option.get_name());
  if (option.get_items_expected_max() > 0) result.value = option.get_type_name();
  result.help = option.get_description();
  result.usual = option.get_default_str();
  result.required = option.get_required();
  result.words = offered(option);
  return result;
}

Command command_of(CLI::App& app) {
  Command command{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    if (!option->get_group().empty()) command.options.push_back(option_of(*option));
  }
  return command;
}

}  // namespace

Program words_of(CLI::App& app) {
  Program program{command_of(app), {}};
  program.itself.name = "dcmrank";
  for (CLI::App* one : app.get_subcommands([](CLI::App*) { return true; })) {
    program.commands.push_back(command_of(*one));
  }
  return program;
}

}  // namespace dcmrank::manual
