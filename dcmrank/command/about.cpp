#include "dcmrank/command/about.h"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/choices.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/manual/completion.h"
#include "dcmrank/manual/man_page.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/numeric/instructions.h"
#include "dcmrank/terminal/options.h"

namespace dcmrank::command {
namespace {

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

constexpr const char* kCitations = R"(The paper:

@inproceedings{{katariya2016dcm,
  title     = {{{{DCM}} Bandits: Learning to Rank with Multiple Clicks}},
  author    = {{Katariya, Sumeet and Kveton, Branislav and Szepesv{{\'a}}ri, Csaba and Wen, Zheng}},
  booktitle = {{Proceedings of the 33rd International Conference on Machine Learning}},
  series    = {{Proceedings of Machine Learning Research}},
  volume    = {{48}},
  pages     = {{1215--1224}},
  year      = {{2016}},
  publisher = {{PMLR}},
  url       = {{https://proceedings.mlr.press/v48/katariya16.html}}
}}

This program, whose repaired policies are not the paper's:

@misc{{dcmrank,
  title  = {{{{dcmrank}}: learning to rank from clicks}},
  author = {{{{The dcmrank developers}}}},
  note   = {{Software, version {}}},
  year   = {{2026}}
}}
)";

using Complete = std::string (*)(const manual::Program& program);
const Choices<Complete> kShells{{"bash", manual::bash_completion},
                                {"zsh", manual::zsh_completion},
                                {"fish", manual::fish_completion}};

void write_pages(CLI::App& app, const std::string& out) {
  const auto pages = manual::man_pages(manual::words_of(app), DCMRANK_VERSION);
  create_folder(out, pages.front().file.c_str());
  for (const manual::ManPage& page : pages) {
    AtomicFile file(std::filesystem::path(out) / page.file);
    file.write(page.text);
    file.commit();
  }
  fmt::print("{} pages in {}\n", pages.size(), out);
}

}  // namespace

std::string version_text() {
  return fmt::format("dcmrank {} ({}; vectors: {})", DCMRANK_VERSION, compiler(),
                     fmt::join(vector_instructions(), ", "));
}

void add_cite(CLI::App& app, const Context& /*context*/) {
  CLI::App* command = app.add_subcommand("cite", "Print how to cite the paper and this program");
  command->footer("Example:\n  dcmrank cite > dcmrank.bib");
  command->callback([] { fmt::print(fmt::runtime(kCitations), DCMRANK_VERSION); });
}

void add_completion(CLI::App& app, const Context& /*context*/) {
  CLI::App* command = app.add_subcommand(
      "completion", "Print a script that completes commands and options in a shell");
  const auto shell = std::make_shared<std::string>();
  manual::offer(command->add_option("SHELL", *shell, "bash, zsh or fish"), words_of(kShells))
      ->type_name("SHELL")
      ->required();
  command->footer("Example:\n  dcmrank completion bash > dcmrank.bash");
  command->callback(
      [shell, &app] { fmt::print("{}", choose("SHELL", *shell, kShells)(manual::words_of(app))); });
}

void add_man(CLI::App& app, const Context& /*context*/) {
  CLI::App* command = app.add_subcommand("man", "Write the manual pages");
  const auto out = std::make_shared<std::string>("man1");
  command->add_option("--out", *out, "The folder to write to")
      ->type_name("DIR")
      ->capture_default_str();
  command->footer("Example:\n  dcmrank man --out man1");
  command->callback([out, &app] { write_pages(app, *out); });
}

}  // namespace dcmrank::command
