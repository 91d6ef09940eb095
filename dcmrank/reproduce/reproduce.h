#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/reproduce/part.h"

namespace dcmrank {

struct ReproduceOptions {
  std::filesystem::path out = "out";
  std::vector<std::string> only;  // ids of parts; empty: all
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool fresh = false;   // discard the trials that were kept
  std::string command;  // the command line that makes the report, for the page
};

/// What a reproduction tells its caller while it works.
struct ReproduceControl {
  ExperimentControl experiment;
  std::function<void(std::uint64_t total)> on_start;  // steps in all
  std::function<void(const std::string& id, std::size_t n, std::size_t of)> on_part;
};

/// A finished part and how many seconds it took in this call (fewer if trials were kept).
struct FinishedPart {
  Part part;
  double seconds = 0;
};

/// Throws InputError for an unknown id in `only`.
std::vector<const PartPlan*> chosen_plans(const std::vector<std::string>& only);

/// Runs the parts, writes each one's ID.svg, ID.pdf and ID.csv as it is finished, then
/// results.json and report.html. Interrupted, the same call continues with what was finished.
std::vector<FinishedPart> reproduce(const Setting& setting, const ReproduceOptions& options,
                                    const ReproduceControl& control);

/// results.json (docs/formats.md): the same bytes for the same seed and program.
nlohmann::ordered_json results_json(const Setting& setting, const ReproduceOptions& options,
                                    const std::vector<FinishedPart>& parts);

}  // namespace dcmrank
