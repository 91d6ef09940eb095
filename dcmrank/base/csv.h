#pragma once

#include <string>
#include <vector>

namespace dcmrank {

/// Rows as a CSV file (RFC 4180, lines end in \n): a field is quoted where it has to be.
std::string to_csv(const std::vector<std::vector<std::string>>& rows);

}  // namespace dcmrank
