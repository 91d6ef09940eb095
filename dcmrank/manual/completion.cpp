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
  std::string offers;   // after an option, or for the arguments of a command
  std::string options;  // of each command
  for (const Command& command : program.commands) {
    options += fmt::format("      {}) words={} ;;\n", command.name,
                           in_quotes(fmt::format("{}", fmt::join(option_names(command), " "))));
    for (const Option& option : command.options) {
      if (option.words.empty()) continue;
      const std::string words = in_quotes(fmt::format("{}", fmt::join(option.words, " ")));
      for (const std::string& name : option.names) {
        offers +=
            fmt::format("      {}) words={} ;;\n",
                        in_quotes(command.name + " " + (option.positional ? "" : name)), words);
      }
    }
  }
  return fmt::format(
      "# Completion of dcmrank for bash.\n"
      "_dcmrank() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local command=${{COMP_WORDS[1]}} option= words=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$current\" = = ]; then  # --option=value comes as three words\n"
      "    current=\n"
      "  elif [ \"$before\" = = ]; then\n"
      "    before=${{COMP_WORDS[COMP_CWORD-2]}}\n"
      "  fi\n"
      "  case $before in -*) option=$before ;; esac\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    words={}\n"
      "  elif [ -n \"$option\" ] || [ \"${{current#-}}\" = \"$current\" ]; then\n"
      "    case \"$command $option\" in\n"
      "{}"
      "    esac\n"
      "  fi\n"
      "  if [ -z \"$words\" ] && [ \"${{current#-}}\" != \"$current\" ]; then\n"
      "    case $command in\n"
      "{}"
      "    esac\n"
      "  fi\n"
      "  if [ -n \"$words\" ]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "  fi\n"
      "}}\n"
      "complete -o default -F _dcmrank dcmrank\n",
      in_quotes(fmt::format("{} {}", fmt::join(command_names(program), " "),
                            fmt::join(option_names(program.itself), " "))),
      offers, options);
}

namespace {

// What _arguments takes: a long option's value may follow after a space or an equals sign.
std::vector<std::string> zsh_specs(const Option& option) {
  const std::string value = fmt::format(
      ":{}:{}", escaped(option.value, ":[]\\"),
      option.words.empty() ? "_files" : fmt::format("({})", fmt::join(option.words, " ")));
  if (option.positional) {
    return option.words.empty() ? std::vector<std::string>{} : std::vector{value};
  }
  std::vector<std::string> specs;
  for (const std::string& name : option.names) {
    specs.push_back(fmt::format("*{}{}[{}]{}", name,
                                name.starts_with("--") && !option.value.empty() ? "=" : "",
                                escaped(option.help, "[]\\"), option.value.empty() ? "" : value));
  }
  return specs;
}

// How fish completes the value: by words, by files, or not at all.
std::string fish_value(const Option& option) {
  if (option.value.empty()) return "";
  if (option.words.empty()) return " -r";
  return fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(option.words, " "))));
}

}  // namespace

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
      for (const std::string& spec : zsh_specs(option)) {
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
      if (option.positional && !option.words.empty()) {
        text +=
            fmt::format("complete -c dcmrank -n '__fish_seen_subcommand_from {}' -f -a {} -d {}\n",
                        command.name, in_quotes(fmt::format("{}", fmt::join(option.words, " "))),
                        in_quotes(option.help));
      }
      if (option.positional) continue;
      for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        text +=
            fmt::format("complete -c dcmrank -n '__fish_seen_subcommand_from {}' -{} {}{} -d {}\n",
                        command.name, is_long ? "l" : "s", name.substr(is_long ? 2 : 1),
                        fish_value(option), in_quotes(option.help));
      }
    }
  }
  return text;
}

}  // namespace dcmrank::manual
