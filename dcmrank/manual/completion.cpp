#include "dcmrank/manual/completion.h"

#include <vector>

#include <fmt/format.h>

namespace dcmrank::manual {
namespace {

std::vector<std::string> command_names(const Program& program) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options) {
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::string escaped(const std::string& text, const std::string& special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

// In single quotes, for any of the shells.
std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

}  // namespace

std::string bash_completion(const Program& program) {
  std::string text = fmt::format(
      "# Completion of dcmrank for bash.\n"
      "_dcmrank() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} words=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    words={}\n"
      "  elif [ \"${{current#-}}\" != \"$current\" ]; then\n"
      "    case $command in\n",
      in_quotes(fmt::format("{} {}", fmt::join(command_names(program), " "),
                            fmt::join(option_names(program.itself), " "))));
  for (const Command& command : program.commands) {
    text += fmt::format("      {}) words={} ;;\n", command.name,
                        in_quotes(fmt::format("{}", fmt::join(option_names(command), " "))));
  }
  return text +
         "    esac\n"
         "  fi\n"
         "  if [ -n \"$words\" ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -o default -F _dcmrank dcmrank\n";
}

std::string zsh_completion(const Program& program) {
  std::string text =
      "#compdef dcmrank\n"
      "# Completion of dcmrank for zsh.\n"
      "_dcmrank() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands\n"
      "    commands=(\n";
  for (const Command& command : program.commands) {
    text += fmt::format("      {}\n", in_quotes(command.name + ":" + escaped(command.help, ":\\")));
  }
  text +=
      "    )\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const Command& command : program.commands) {
    text += fmt::format("    {})\n      _arguments", command.name);
    for (const Option& option : command.options) {
      for (const std::string& name : option.names) {
        if (option.positional) continue;
        std::string spec = fmt::format("*{}[{}]", name, escaped(option.help, "[]\\"));
        if (!option.value.empty()) {
          spec += fmt::format(":{}:_files", escaped(option.value, ":[]\\"));
        }
        text += fmt::format(" \\\n        {}", in_quotes(spec));
      }
    }
    text += " \\\n        '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_dcmrank \"$@\"\n";
}

std::string fish_completion(const Program& program) {
  std::string text = "# Completion of dcmrank for fish.\n";
  for (const Command& command : program.commands) {
    text += fmt::format("complete -c dcmrank -n __fish_use_subcommand -f -a {} -d {}\n",
                        command.name, in_quotes(command.help));
  }
  for (const Command& command : program.commands) {
    for (const Option& option : command.options) {
      for (const std::string& name : option.names) {
        if (option.positional) continue;
        const bool is_long = name.starts_with("--");
        text +=
            fmt::format("complete -c dcmrank -n '__fish_seen_subcommand_from {}' -{} {}{} -d {}\n",
                        command.name, is_long ? "l" : "s", name.substr(is_long ? 2 : 1),
                        option.value.empty() ? "" : " -r", in_quotes(option.help));
      }
    }
  }
  return text;
}

}  // namespace dcmrank::manual
