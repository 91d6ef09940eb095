#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dcmrank/plot/figure.h"
#include "dcmrank/sim/report.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/plot_options.h"

namespace dcmrank::command {

/// Where the results of a comparison go besides the table on the terminal, as it was typed.
struct ResultFiles {
  std::string json;
  std::string csv;
  std::string runs_csv;
  PlotArguments plot;
  std::string axes = "linear";
  std::string latex;
  bool latex_timing = false;
  std::vector<std::string> names;
};

void add_result_options(CLI::App& command, ResultFiles& files);

/// The same, opened: before the work, so that what cannot be written is refused at once.
class ResultOutputs {
 public:
  explicit ResultOutputs(const ResultFiles& files);

  /// Throws InputError for what is wrong with names of other policies than these, or with pictures
  /// of so many steps: before the work.
  void check(const std::vector<std::string>& policies, std::uint64_t steps) const;

  /// Whether results must have the curve of every run.
  bool want_curves_of_runs() const { return static_cast<bool>(runs_csv_); }

  /// Writes all that was asked for, and the table where nothing else goes to stdout. The JSON of a
  /// part has the curves of all runs.
  void write(const ExperimentReport& report, bool is_part);

 private:
  Axes axes_;
  Output json_;
  Output csv_;
  Output runs_csv_;
  Output latex_;
  bool latex_timing_;
  std::vector<std::string> names_;
  std::vector<std::string> files_;
  Pictures pictures_;
  bool to_stdout_ = false;
};

}  // namespace dcmrank::command
