#include "dcmrank/manual/man_page.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace dcmrank::manual {
namespace {

// Hyphens stay what they are typed as, and no line of text is taken for a request.
std::string roff(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string heading(const std::string& name, const std::string& version) {
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(".TH {} 1 \"\" \"dcmrank {}\" \"User Commands\"\n", roff(title), version);
}

std::string name_section(const std::string& name, const std::string& help) {
  return fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(help));
}

std::string option_entry(const Option& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (!option.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  std::string help = roff(option.help);
  if (!option.usual.empty()) help += fmt::format(" (default: {})", roff(option.usual));
  return fmt::format(".TP\n{}\n{}\n", names, help);
}

std::string synopsis(const std::string& name, const Command& command) {
  std::string text = fmt::format(".SH SYNOPSIS\n.B {}\n", roff(name));
  for (const Option& option : command.options) {
    if (!option.required && !option.positional) continue;
    const std::string word =
        option.positional
            ? fmt::format("\\fI{}\\fR", roff(option.value))
            : fmt::format("\\fB{}\\fR \\fI{}\\fR", roff(option.names.front()), roff(option.value));
    text += option.required ? word + "\n" : fmt::format("[{}]\n", word);
  }
  return text + "[\\fIOPTIONS\\fR]\n";
}

std::string options_section(const Command& command) {
  std::string text = ".SH OPTIONS\n";
  for (const Option& option : command.options) text += option_entry(option);
  return text;
}

std::string notes_section(const Command& command) {
  if (command.footer.empty()) return "";
  return fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(command.footer));
}

constexpr const char* kStatus =
    ".SH EXIT STATUS\n0 on success, 2 for wrong usage or input, 1 for a failure while "
    "running,\n128 plus the number of the signal that ended it.\n";

}  // namespace

std::vector<ManPage> man_pages(const Program& program, const std::string& version) {
  const std::string& name = program.itself.name;
  std::string text = heading(name, version);
  text += name_section(name, "learning to rank from clicks");
  text += fmt::format(".SH SYNOPSIS\n.B {}\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n", roff(name));
  text += fmt::format(".SH DESCRIPTION\n{}\n", roff(program.itself.help));
  text += ".SH COMMANDS\n";
  std::string others;
  for (const Command& command : program.commands) {
    text += fmt::format(".TP\n.BR {}\\-{} (1)\n{}\n", roff(name), roff(command.name),
                        roff(command.help));
  }
  text += options_section(program.itself) + kStatus;
  std::vector<ManPage> pages{{name + ".1", std::move(text)}};
  for (const Command& command : program.commands) {
    const std::string page = fmt::format("{}-{}", name, command.name);
    pages.push_back({page + ".1", heading(page, version) + name_section(page, command.help) +
                                      synopsis(name + " " + command.name, command) +
                                      options_section(command) + notes_section(command) + kStatus +
                                      fmt::format(".SH SEE ALSO\n.BR {} (1)\n", roff(name))});
  }
  return pages;
}

}  // namespace dcmrank::manual
