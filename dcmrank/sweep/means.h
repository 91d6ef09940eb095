#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dcmrank/base/csv.h"
#include "dcmrank/numeric/summary.h"
#include "dcmrank/sweep/sweep.h"

namespace dcmrank {

/// What the error of a mean is that of: of the runs of one cell; of worlds drawn at random, of
/// which others might have been drawn; of the runs, where cells are those of a grid and no others;
/// of nothing known.
enum class ErrorOf : std::uint8_t { kCell, kWorlds, kRuns, kNothing };

struct CellMean {
  Summary value;
  ErrorOf error = ErrorOf::kNothing;
};

/// The mean of a column over rows of the table, which are `places`. `cells` are those of the
/// table's rows, or empty where they are not known. The places must have a number in the column.
CellMean mean_of_cells(const DataTable& table, std::span<const SweepCell> cells,
                       const std::vector<std::size_t>& places, const std::string& column);

}  // namespace dcmrank
