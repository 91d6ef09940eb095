#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/json.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/terminal/options.h"

namespace dcmrank::command {
namespace {

nlohmann::ordered_json to_json() {
  auto policies = nlohmann::ordered_json::array();
  for (const PolicyEntry& entry : policy_registry()) {
    auto options = nlohmann::ordered_json::array();
    for (const PolicyOption& option : entry.options) {
      options.push_back({{"name", option.name}, {"help", option.help}});
    }
    policies.push_back({{"name", entry.name},
                        {"summary", entry.summary},
                        {"served", is_served(entry)},
                        {"options", std::move(options)}});
  }
  return {{"format", "dcmrank.policies"},
          {"version", 1},
          {"recommended", recommended_policy()},
          {"recommended_when_served", served_policy()},
          {"policies", std::move(policies)}};
}

void print_line(std::string_view name, bool served, std::string_view text) {
  fmt::print("{:<16} {:<6} {}\n", name, served ? "served" : "", text);
}

void print(bool with_options) {
  for (const PolicyEntry& entry : policy_registry()) {
    print_line(entry.name, is_served(entry), entry.summary);
    if (!with_options) continue;
    for (const PolicyOption& option : entry.options) {
      print_line("", false, fmt::format("  {}: {}", option.name, option.help));
    }
  }
  print_line(
      "recommended", true,
      fmt::format("stands for {}; in the service for {}", recommended_policy(), served_policy()));
}

}  // namespace

void add_policies(CLI::App& app, const Context& /*context*/) {
  CLI::App* command = app.add_subcommand(
      "policies", "List the policies, one line each; those marked 'served' are offered by serve");
  const auto json = std::make_shared<std::string>();
  const auto with_options = std::make_shared<bool>(false);
  command->add_flag("--options", *with_options, "Also list the options of each policy");
  add_json_option(*command, *json);
  command->footer("Example:\n  dcmrank policies --options");
  command->callback([json, with_options] {
    Output output(*json);
    if (output) output.write(print_json(to_json()));
    if (!output.to_stdout()) print(*with_options);
  });
}

}  // namespace dcmrank::command
