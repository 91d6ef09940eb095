#pragma once

#include <string>
#include <vector>

#include "dcmrank/sim/report.h"

namespace dcmrank {

/// A part of an experiment: some of its runs, in any process, with the curve of every run.
struct ExperimentPart {
  std::string source;  // its file, for messages
  ExperimentReport report;
};

/// The experiment whose parts these are, in any order: the numbers, to the last bit, of all runs in
/// one process (timings aside). Throws InputError if parts are of different experiments, if a run
/// is in two of them, and if one is in none.
ExperimentReport merge_parts(std::vector<ExperimentPart> parts);

}  // namespace dcmrank
