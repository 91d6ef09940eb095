#pragma once

#include <string>

#include "dcmrank/fit/statistics.h"

namespace dcmrank::python {

/// All that a counts file holds. Throws InputError naming `source`.
LogStatistics parse_counts(const std::string& text, const std::string& source);

}  // namespace dcmrank::python
