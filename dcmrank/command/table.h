#pragma once

#include <string>
#include <vector>

namespace dcmrank::command {

/// Rows of text set in columns; the first row is the heading. The first column is set to the left,
/// the others, which are numbers, to the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace dcmrank::command
