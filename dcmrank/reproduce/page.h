#pragma once

#include <string>
#include <vector>

#include "dcmrank/reproduce/reproduce.h"

namespace dcmrank {

/// report.html: one self-contained page. The figures are read from the ID.svg files in options.out
/// and set into it.
std::string page(const Setting& setting, const ReproduceOptions& options,
                 const std::vector<FinishedPart>& parts);

/// Text as it may stand in HTML.
std::string html(const std::string& text);

}  // namespace dcmrank
