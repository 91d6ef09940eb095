#pragma once

#include <string>
#include <vector>

#include "dcmrank/command/sweep_text.h"

namespace dcmrank::command {

/// The table of a sweep for LaTeX: the columns that tell its rows apart, and results. Parameters
/// stand for the names of problems where the grid made these of them. What is the same in all rows
/// is in the note below, before the legend.
std::string sweep_latex(const SweepPlan& plan, const std::vector<SweepCell>& cells,
                        const SweepTable& shown);

}  // namespace dcmrank::command
