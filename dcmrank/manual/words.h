#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dcmrank::manual {

/// The definitions of a command line as text generators need them: what --help shows, and nothing
/// else, so that a manual and completions never say anything different.

struct Option {
  std::vector<std::string> names;  // "--steps", "-h"; a positional argument's name
  std::string value;               // what --help calls its value; empty: a flag
  std::string help;
  std::string usual;               // its default; empty: none is shown
  std::vector<std::string> words;  // that its value can begin with; empty: any, or a file
  bool positional = false;
  bool required = false;
};

struct Command {
  std::string name;
  std::string help;
  std::string footer;
  std::vector<Option> options;
};

struct Program {
  Command itself;
  std::vector<Command> commands;
};

Program words_of(CLI::App& app);

}  // namespace dcmrank::manual
