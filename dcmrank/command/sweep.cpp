#include "dcmrank/sweep/sweep.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/command/sweep_latex.h"
#include "dcmrank/command/sweep_text.h"
#include "dcmrank/grid/running_program.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/plot/figure.h"
#include "dcmrank/sweep/columns.h"
#include "dcmrank/sweep/former.h"
#include "dcmrank/sweep/picture.h"
#include "dcmrank/terminal/grid_options.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/plot_options.h"
#include "dcmrank/terminal/progress.h"
#include "dcmrank/terminal/table.h"

namespace dcmrank::command {
namespace {

constexpr std::size_t kMostPrintedCells = 60;

struct SweepArguments {
  std::string file;
  std::string out = "sweep";
  std::string part;
  std::string threads;
  bool fresh = false;
  std::string json;
  std::string runs_csv;
  std::string latex;
  PlotArguments plot;
  std::string x;
  PicturePlan picture;
  std::string axes = "linear";
  std::string table_by;
  std::vector<std::string> names;
};

void check_picture(const SweepArguments& arguments) {
  if (drawable(arguments.plot).empty()) {
    if (!arguments.x.empty()) throw InputError("--x needs --plot");
  } else if (arguments.x.empty()) {
    throw InputError("--plot needs --x, the column along the axis");
  }
}

PolicyNames policy_names_of(const SweepArguments& arguments, const SweepPlan& plan) {
  return names_of_policies(arguments.names, plot_style(arguments.plot), plan.policies);
}

PicturePlan picture_plan(const SweepArguments& arguments, const SweepPlan& sweep) {
  PicturePlan plan = arguments.picture;
  plan.names = policy_names_of(arguments, sweep);
  plan.x = arguments.x;
  plan.axes = choose("--axes", arguments.axes, axes_by_name());
  return plan;
}

std::uint64_t work_of(const std::vector<Trial>& trials) {
  std::uint64_t work = 0;
  for (const Trial& trial : trials) work += trial.work();
  return work;
}

std::vector<PolicyResult> run_trials(const std::vector<Trial>& trials, const TrialStore& store,
                                     const Context& context) {
  return resumable([&] {
    ProgressBar bar("sweep", work_of(trials));
    return store.get(trials, {context.stop, &bar.done()});
  });
}

SweepTable sweep_table(const SweepArguments& arguments, const SweepPlan& plan) {
  SweepTable shown{arguments.picture.where, {}, policy_names_of(arguments, plan)};
  if (!arguments.table_by.empty()) {
    shown.by = parse_table_by(arguments.table_by, sweep_preview(plan));
  }
  return shown;
}

// What is wrong with tables and pictures is said before the work.
void check_shown(const SweepArguments& arguments, const SweepPlan& plan) {
  places_where(sweep_table(arguments, plan).where, sweep_preview(plan));
  if (arguments.plot.files.empty()) return;
  const Panels panels = panels_of(picture_plan(arguments, plan), sweep_preview(plan));
  for (const std::string& file : arguments.plot.files) {
    check_points(panels, plot_style(arguments.plot), file, Known::kX);
  }
}

// Of work that was begun before.
void tell_kept(const TrialStore& store, const std::vector<Trial>& trials) {
  const auto kept = static_cast<std::size_t>(std::count_if(
      trials.begin(), trials.end(), [&](const Trial& trial) { return store.has(trial); }));
  if (kept == 0) return;
  fmt::print("{} of {} are kept from before\n", kept, how_many(trials.size(), "cell"));
  (void)std::fflush(stdout);
}

void write_into(const std::filesystem::path& file, const std::string& text) {
  AtomicFile whole(file);
  whole.write(text);
  whole.commit();
}

// What is written besides the folder, opened before the work.
struct SweepOutputs {
  explicit SweepOutputs(const SweepArguments& arguments)
      : json(arguments.json),
        runs_csv(arguments.runs_csv),
        latex(arguments.latex),
        pictures(arguments.plot) {
    const std::array outputs{&json, &runs_csv, &latex};
    const auto n = std::count_if(outputs.begin(), outputs.end(),
                                 [](const Output* output) { return output->to_stdout(); });
    if (n > 1) throw InputError("only one of --json, --runs-csv and --table-latex can be stdout");
    to_stdout = n > 0;
  }

  Output json;
  Output runs_csv;
  Output latex;
  Pictures pictures;
  bool to_stdout = false;
};

std::vector<std::string> written_files(const SweepArguments& arguments) {
  const std::filesystem::path out = arguments.out;
  std::vector<std::string> files{(out / "sweep.csv").string(), (out / "sweep.json").string()};
  for (const std::string& file : {arguments.json, arguments.runs_csv, arguments.latex}) {
    if (!file.empty()) files.push_back(file);
  }
  files.insert(files.end(), arguments.plot.files.begin(), arguments.plot.files.end());
  return files;
}

void write_sweep(const SweepArguments& arguments, const SweepPlan& plan,
                 const std::vector<SweepCell>& cells, SweepOutputs& outputs) {
  const std::filesystem::path out = arguments.out;
  const DataTable rows = sweep_rows(plan, cells);
  const std::string report = print_json(sweep_to_json(plan, cells));
  write_into(out / "sweep.csv", to_csv(rows));
  write_into(out / "sweep.json", report);
  if (outputs.json) outputs.json.write(report);
  if (outputs.runs_csv) outputs.runs_csv.write(to_csv(sweep_run_rows(plan, cells)));
  SweepTable shown = sweep_table(arguments, plan);
  const std::string legend = sweep_legend(plan, cells, shown);
  shown.names.clear();  // people copy names of policies from the terminal
  const auto printed = sweep_text(plan, cells, shown);
  const bool is_short = printed.size() <= kMostPrintedCells + 1;
  if (outputs.latex) outputs.latex.write(sweep_latex(plan, cells, sweep_table(arguments, plan)));
  if (!outputs.to_stdout && is_short) {
    fmt::print("{}\n{}\n\n", table(printed), wrapped(legend, 0));
  }
  if (outputs.pictures) {
    const PicturePlan picture = picture_plan(arguments, plan);
    print_notes(picture_notes(picture, rows, cells));
    outputs.pictures.draw(panels_of(picture, rows, cells));
  }
  if (!outputs.to_stdout) {
    fmt::print(
        "{} ({}, {}, {}){}: {}\n", how_many(cells.size(), "cell"),
        how_many(plan.problems.size(), "problem"),
        how_many(plan.policies.size(), "policy", "policies"),
        how_many(plan.steps.size(), "number of steps", "numbers of steps"),
        !is_short ? fmt::format(", more than the {} that are printed", kMostPrintedCells) : "",
        fmt::join(written_files(arguments), ", "));
  }
}

void run_sweep(const SweepArguments& arguments, const Context& context) {
  claim_input(arguments.file);
  check_picture(arguments);
  // What is wrong with a picture is said now.
  check_ranges(choose("--axes", arguments.axes, axes_by_name()), plot_style(arguments.plot));
  const unsigned threads = parse_threads(arguments.threads);
  std::optional<GridPart> part;
  if (!arguments.part.empty()) part = parse_grid_part("--part", arguments.part);
  refuse_outputs_of_part(arguments.part, {{"--json", !arguments.json.empty()},
                                          {"--runs-csv", !arguments.runs_csv.empty()},
                                          {"--table-latex", !arguments.latex.empty()},
                                          {"--plot", !arguments.plot.files.empty()}});
  const SweepPlan plan = parse_sweep(read_file(arguments.file), arguments.file);
  for (const std::string& file : plan.files) claim_input(file);
  const auto trials = trials_of(plan);
  for (const SweepProblem& problem : plan.problems) print_note(problem.problem.note());
  check_shown(arguments, plan);
  SweepOutputs outputs(arguments);
  create_folder_for(arguments.out, {"sweep.csv", "sweep.json"});
  if (!part) print_note(replaced_note(arguments.out, plan));
  const auto cells = std::filesystem::path(arguments.out) / "cells";
  if (arguments.fresh) forget_trials(cells);
  const TrialStore store(cells, running_program(), plan.seed, threads);
  if (part) {
    const auto mine = trials_of(*part, trials);
    tell_kept(store, mine);
    run_trials(mine, store, context);
    fmt::print("{}", part_text(*part, mine.size(), trials.size(), arguments.out));
    return;
  }
  if (!outputs.to_stdout) tell_kept(store, trials);
  write_sweep(arguments, plan, sweep_cells(plan, run_trials(trials, store, context)), outputs);
}

}  // namespace

void add_sweep(CLI::App& app, const Context& context) {
  CLI::App* command =
      app.add_subcommand("sweep", "Run a grid of problems, policies and steps into one tidy table");
  const auto arguments = std::make_shared<SweepArguments>();
  command->add_option("FILE", arguments->file, "The grid, as TOML (docs/sweep.md)")
      ->type_name("FILE.toml")
      ->required();
  command
      ->add_option("--out", arguments->out,
                   "The folder for sweep.csv and sweep.json; finished cells are kept there, and "
                   "the same command resumes from them")
      ->type_name("DIR")
      ->capture_default_str();
  add_part_option(*command, arguments->part);
  command
      ->add_option("--threads", arguments->threads,
                   "Threads (default: all cores); the result is the same for any number")
      ->type_name("N");
  command->add_flag("--fresh", arguments->fresh, "Start over instead of resuming");
  add_json_option(*command, arguments->json);
  command->add_option("--runs-csv", arguments->runs_csv, "Write one row per run; - is stdout")
      ->type_name("FILE");
  add_latex_option(*command, arguments->latex);
  command
      ->add_option("--table-by", arguments->table_by,
                   "Columns, such as model,K: the printed table and that for LaTeX have a row for "
                   "each of their values and each policy, with means over the cells")
      ->type_name("COLUMN,...");
  add_name_option(*command, arguments->names);
  add_plot_options(*command, arguments->plot, "columns of the table");
  command->add_option("--x", arguments->x, "The column along the x axis, such as gamma")
      ->type_name("COLUMN");
  command->add_option("--y", arguments->picture.y, "The column to draw")
      ->type_name("COLUMN")
      ->capture_default_str();
  command->add_option("--series", arguments->picture.series, "A line for each value of this column")
      ->type_name("COLUMN");
  command->add_option("--facet", arguments->picture.facet, "A panel for each value of this column")
      ->type_name("COLUMN");
  command
      ->add_option("--where", arguments->picture.where,
                   "Show, in pictures and tables, only the rows that have this value; repeat for "
                   "other columns, or for other "
                   "values of the same")
      ->type_name("COLUMN=VALUE")
      ->take_all()
      ->expected(1);
  manual::offer(
      command->add_option("--axes", arguments->axes, "Axes of the plot: linear, logx or loglog"),
      words_of(axes_by_name()))
      ->type_name("WHICH")
      ->capture_default_str();
  command->footer(
      "Example of FILE.toml:\n"
      "  policies = [\"dcm-kl-ucb\", \"recommended\"]\n"
      "  steps = [1000, 10000]\n"
      "  runs = 5\n"
      "  [[problems]]\n"
      "  class = \"lb\"\n"
      "  L = 16\n"
      "  K = [2, 4]\n"
      "  p = 0.2\n"
      "  gap = 0.15\n"
      "  gamma = { from = 0.2, to = 1, by = 0.4 }\n"
      "  [[problems]]\n"
      "  random = \"ubm\"\n"
      "  count = 3\n\n"
      "Example:\n"
      "  dcmrank sweep grid.toml --plot sweep.svg --x gamma --series K --facet policy");
  command->callback([arguments, context] { run_sweep(*arguments, context); });
}

}  // namespace dcmrank::command
