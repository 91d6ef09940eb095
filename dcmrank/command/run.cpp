#include "dcmrank/command/run.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dcmrank/base/blame.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/command/about.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/log_command/commands.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/terminal/interrupt.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/tell.h"

namespace dcmrank::command {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

// What others throw may say anything; a terminal obeys control characters.
int complain(int status, std::string message) {
  for (char& c : message) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  tell("dcmrank: {}\n", message);
  return status;
}

// Who reads has seen enough (head), and has had it: the status is that of a program which SIGPIPE
// ended, and there is nothing to be said.
int not_printed(const std::exception& error) {
  return nobody_reads_stdout() ? 128 + SIGPIPE : complain(kFailure, told(error));
}

// 0 where all that was printed arrived.
int flushed() {
  if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  return not_printed(CannotPrint());
}

// The subcommand that was typed, or the program itself.
const CLI::App& active(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) words.push_back(option->get_name());
  for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
  return words;
}

constexpr const char* kIsEmpty = "is empty";
constexpr const char* kNeedsValue = " needs a value";

// What the library says about an option that was given too often or without its value.
std::string plain_words(const std::string& message) {
  const std::size_t colon = message.find(':');
  if (colon == std::string::npos) return message;
  const std::string option = message.substr(0, colon);
  if (message.find("At Most", colon) != std::string::npos) {
    return fmt::format("{} is given more than once", option);
  }
  if (message.ends_with(kIsEmpty)) return fmt::format("{} {}", option, kIsEmpty);
  constexpr std::string_view kEnd = " missing";
  constexpr std::string_view kRequired = " required ";
  const std::size_t required = message.find(kRequired, colon);
  if (required == std::string::npos || !message.ends_with(kEnd)) return message;
  const std::size_t type = required + kRequired.size();
  return fmt::format("{}{}: {}", option, kNeedsValue,
                     message.substr(type, message.size() - kEnd.size() - type));
}

// " (tsv, csv)" of an option of the command that was typed, where it takes one of a few words.
std::string words_offered(const CLI::App& app, const std::string& message) {
  const std::string option = message.substr(0, message.find(' '));
  std::vector<std::string> words;
  for (CLI::App* command : app.get_subcommands()) {
    CLI::Option* typed = command->get_option_no_throw(option);
    if (typed != nullptr) words = manual::offered(*typed);
  }
  return words.empty() ? "" : fmt::format(" ({})", fmt::join(words, ", "));
}

// As a script leaves an option whose variable is not set: what was asked for would silently not be
// done. Free text and ids may be empty. Those of `serve` may come from a file or the environment
// too, and are checked together.
void refuse_empty_values(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == "serve") continue;
    for (CLI::Option* option : command->get_options()) {
      const std::string type = option->get_type_name();
      if (option->get_items_expected_max() == 0 || type == "TEXT" || type == "ID") continue;
      option->check(
          [](const std::string& value) { return std::string(value.empty() ? kIsEmpty : ""); }, "");
    }
  }
}

// Commands that programs of others, and the Python package, may lack (service_command).
constexpr std::array<std::string_view, 5> kOfService{"serve", "traffic", "verify", "backup",
                                                     "migrate"};

std::string unknown_word(const std::string& word, const CLI::App& app, const CLI::App& command) {
  if (&command == &app &&
      std::find(kOfService.begin(), kOfService.end(), word) != kOfService.end()) {
    return fmt::format("{} is not there: this program was linked without the service", quote(word));
  }
  const char* kind = word.starts_with('-') ? "option" : &command == &app ? "command" : "argument";
  return fmt::format("unknown {} {}{}", kind, quote(word), suggestion(word, known_words(command)));
}

// One line in our words: the library's own run over several.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = active(app);
  const std::string help =
      &command == &app ? "dcmrank --help" : fmt::format("dcmrank {} --help", command.get_name());
  std::string message = plain_words(error.what());
  if (message.find(kNeedsValue) != std::string::npos) message += words_offered(app, message);
  if (const auto rest = app.remaining(true); !rest.empty()) {
    message = unknown_word(rest.front(), app, command);
  } else if (&command == &app && error.get_name() == "RequiredError") {
    std::vector<std::string> names;
    for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
    message = fmt::format("a command is needed: {}", fmt::join(names, ", "));
  }
  for (char& c : message) c = c == '\n' ? ' ' : c;
  return fmt::format("{}; see '{}'", message, help);
}

constexpr std::array<AddCommand, 13> kCommands{
    add_simulate, add_merge, add_sweep,  add_arena,    add_bounds,   add_policies, add_reproduce,
    add_fit,      add_count, add_choose, add_evaluate, add_generate, add_inspect};
constexpr std::array<AddCommand, 3> kAbout{add_completion, add_man, add_cite};

int run(int argc, char** argv, std::span<const AddCommand> more) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write, not the end
  std::signal(SIGXFSZ, SIG_IGN);  // as is a file that may not grow
  const Context context{catch_interrupts()};
  CLI::App app{"dcmrank: learning to rank from clicks with the dependent click model"};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  for (const AddCommand add : kCommands) add(app, context);
  for (const AddCommand add : more) add(app, context);
  for (const AddCommand add : kAbout) add(app, context);
  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
    return flushed();
  } catch (const CLI::ParseError& error) {
    // --help, --version; the library would also show what help there is beside an unknown command.
    if (error.get_exit_code() == 0 && app.remaining().empty()) {
      app.exit(error);
      return flushed();
    }
    return complain(kUsage, usage_message(app, error));
  } catch (const Interrupted& interruption) {
    return complain(128 + caught_signal(), interruption.what());
  } catch (const InputError& error) {
    return complain(kUsage, told(error));
  } catch (const CannotPrint& error) {
    return not_printed(error);
  } catch (const std::bad_alloc&) {
    return complain(kFailure, "memory ran out");
  } catch (const std::system_error& error) {  // by fmt::print, too
    const bool of_stdout = error.code() == std::errc::broken_pipe && std::ferror(stdout) != 0;
    return of_stdout ? not_printed(error) : complain(kFailure, told(error));
  } catch (const std::exception& error) {
    return complain(kFailure, told(error));
  } catch (...) {  // thrown by what others added
    return complain(kFailure, "an exception that is not a std::exception");
  }
}

}  // namespace
}  // namespace dcmrank::command

namespace dcmrank {

// What throws before run's handlers are in place (no memory, no thread) ends the process, as it
// may.
int run_command(int argc, char** argv, std::span<const command::AddCommand> more) {
  return command::run(argc, argv, more);
}

}  // namespace dcmrank
