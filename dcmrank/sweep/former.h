#pragma once

#include <filesystem>
#include <string>

#include "dcmrank/sweep/plan.h"

namespace dcmrank {

/// One line that says what would be lost of the tables in a folder where a sweep wrote before: the
/// cells that this plan does not have. Empty where it has them all, or there is no such table.
std::string replaced_note(const std::filesystem::path& folder, const SweepPlan& plan);

}  // namespace dcmrank
