#pragma once

#include <string>
#include <vector>

#include "dcmrank/reproduce/reproduce.h"

namespace dcmrank {

/// report.html: one self-contained page. The figures are read from the ID.svg files in options.out
/// and embedded.
std::string page(const Setting& setting, const ReproduceOptions& options,
                 const std::vector<FinishedPart>& parts);

}  // namespace dcmrank
