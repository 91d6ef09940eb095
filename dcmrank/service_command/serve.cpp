#include "dcmrank/service/serve.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "dcmrank/base/error.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/configuration/configuration.h"
#include "dcmrank/service_command/subcommands.h"
#include "dcmrank/terminal/options.h"

namespace dcmrank::command {
namespace {

struct ServeArguments {
  configuration::Configuration configuration;
  std::string file;
  std::vector<std::string> flags;         // by option of the configuration's table
  std::vector<const CLI::Option*> given;  // likewise
  bool print = false;
  bool check = false;
};

// Flags count before the environment, and that before the file: each is read over the former.
void configure(ServeArguments& arguments) {
  auto& configuration = arguments.configuration;
  const char* variable =
      std::getenv(configuration::kFileVariable);  // NOLINT(concurrency-mt-unsafe)
  if (arguments.file.empty() && variable != nullptr) arguments.file = variable;
  if (!arguments.file.empty()) configuration.read_file(arguments.file);
  for (const std::string& note : configuration.read_environment(environ)) print_note(note);
  for (std::size_t n = 0; n < arguments.given.size(); ++n) {
    if (arguments.given[n]->count() == 0) continue;
    // What a variable that is not set leaves of a command line would start a folder of its own.
    const configuration::Option& option = configuration.table()[n];
    if ((option.name == "store" || option.name == "data") && arguments.flags[n].empty()) {
      throw InputError(fmt::format("{} is empty", flag_of(option)));
    }
    configuration.set_flag(option, arguments.flags[n]);
  }
  configuration.choose_place();
}

void run_serve(ServeArguments& arguments, const Context& context) {
  configure(arguments);
  const auto& configuration = arguments.configuration;
  if (arguments.print) {
    fmt::print("{}", configuration.print());
    return;
  }
  const service::KeySource keys{configuration.read_keys(),
                                [&configuration] { return configuration.read_keys_again(); }};
  for (const std::string& note : service::start_notes(configuration.options(), *keys.now)) {
    print_note(note);
  }
  if (arguments.check) {
    service::check_start(configuration.options(), *keys.now);
    fmt::print("no fault found\n");
    return;
  }
  service::serve(configuration.options(), keys, context.stop, [](const std::string& address) {
    fmt::print("listening on {}\n", address);
    std::fflush(stdout);
  });
}

void add_flags(CLI::App& command, ServeArguments& arguments) {
  const auto& table = arguments.configuration.table();
  arguments.flags.resize(table.size());
  for (std::size_t n = 0; n < table.size(); ++n) {
    const configuration::Option& option = table[n];
    std::string names = flag_of(option);
    if (!option.former.empty()) names += fmt::format(",--{}", option.former);
    CLI::Option* flag = command.add_option(names, arguments.flags[n], std::string(option.help));
    flag->type_name(std::string(type_of(option)))->default_str(print_text(option));
    arguments.given.push_back(flag);
  }
}

}  // namespace

void add_serve(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand(
      "serve", "Run a service that ranks for an application and learns from clicks");
  const auto arguments = std::make_shared<ServeArguments>();
  command
      ->add_option("--config", arguments->file,
                   "File of options and keys (TOML), where max_body is --max-body. A flag takes "
                   "precedence over its variable, DCMRANK_MAX_BODY, and the variable over the file")
      ->type_name("FILE");
  command
      ->add_flag("--print-config", arguments->print,
                 "Print all options as such a file, with the source of each and without the "
                 "password of --store, and exit")
      ->excludes(command->add_flag(
          "--check", arguments->check,
          "Read options, keys and certificates as a start would, say what is wrong, and exit; "
          "nothing is opened: neither the address nor the database"));
  add_flags(*command, *arguments);
  command->footer(
      "Example:\n  dcmrank serve --listen 127.0.0.1:8080 --data dcmrank-data\n"
      "With keys, which others than this machine need (only their hashes are kept):\n"
      "  key=$(head -c 24 /dev/urandom | base64)    # what callers send: Authorization: Bearer "
      "KEY\n"
      "  echo \"sha256:$(printf %s \"$key\" | sha256sum | cut -d ' ' -f 1) rank,feedback default\" "
      "> "
      "keys\n"
      "  dcmrank serve --listen 0.0.0.0:8080 --data dcmrank-data --keys keys\n"
      "Scopes are rank, feedback, metrics and admin; * stands for all models.");
  command->callback([arguments, context] { run_serve(*arguments, context); });
}

}  // namespace dcmrank::command
