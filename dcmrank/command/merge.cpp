#include "dcmrank/sim/merge.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/terminal/result_outputs.h"

namespace dcmrank::command {
namespace {

struct MergeArguments {
  std::vector<std::string> parts;
  ResultFiles files;
};

void refuse_second(const std::vector<ExperimentPart>& parts, const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return;
  for (const ExperimentPart& part : parts) {
    if (!std::filesystem::equivalent(file, part.source, ignored)) continue;
    throw InputError(fmt::format("PARTS: {} is given twice", file));
  }
}

void run_merge(const MergeArguments& arguments) {
  std::vector<ExperimentPart> parts;
  for (const std::string& file : arguments.parts) {
    claim_input(file);
    refuse_second(parts, file);
    parts.push_back({file, experiment_from_json(parse_json(read_file(file), file), file)});
  }
  ResultOutputs outputs(arguments.files);
  const ExperimentReport merged = merge_parts(std::move(parts));
  outputs.write(merged, merged.options.first_run > 0);  // what lacks the first runs is a part
}

}  // namespace

void add_merge(CLI::App& app, const Context& /*context*/) {
  CLI::App* command =
      app.add_subcommand("merge", "Merge parts of a simulation that were computed separately");
  const auto arguments = std::make_shared<MergeArguments>();
  command
      ->add_option("PARTS", arguments->parts,
                   "Files written by 'dcmrank simulate --first-run N --runs R --json FILE': "
                   "together all runs of an experiment, in any order")
      ->type_name("PART.json")
      ->required();
  add_result_options(*command, arguments->files);
  command->footer(
      "The result is the same, to the last bit, as that of all runs in one process.\n\n"
      "Example:\n"
      "  P=lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5\n"
      "  dcmrank simulate --problem $P --policy dcm-kl-ucb --first-run 0 --runs 5 --json a.json\n"
      "  dcmrank simulate --problem $P --policy dcm-kl-ucb --first-run 5 --runs 5 --json b.json\n"
      "  dcmrank merge a.json b.json --json whole.json");
  command->callback([arguments] { run_merge(*arguments); });
}

}  // namespace dcmrank::command
