#pragma once

#include <string>
#include <vector>

#include "dcmrank/sweep/plan.h"
#include "dcmrank/sweep/sweep.h"
#include "dcmrank/terminal/plot_options.h"

namespace dcmrank::command {

/// The printed table of a sweep, and the one for LaTeX.
struct SweepTable {
  std::vector<std::string> where{};  // the rows (columns.h); empty: all
  std::vector<std::string> by{};     // columns whose values tell rows apart; empty: a row per cell
  PolicyNames names{};
};

/// "model,K". Throws InputError that begins with the option, if one is not a parameter of the
/// table.
std::vector<std::string> parse_table_by(const std::string& text, const DataTable& table);

/// A heading, then a row for each cell, or for each value of the columns, policy, number of steps
/// and kind of reward: the mean over its cells.
std::vector<std::vector<std::string>> sweep_text(const SweepPlan& plan,
                                                 const std::vector<SweepCell>& cells,
                                                 const SweepTable& shown);

/// What its columns mean, and what regret counts and is measured against.
std::string sweep_legend(const SweepPlan& plan, const std::vector<SweepCell>& cells,
                         const SweepTable& shown);

}  // namespace dcmrank::command
