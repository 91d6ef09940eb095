#pragma once

#include "dcmrank/fit/statistics.h"
#include "frames/arrow_abi.h"
#include "frames/table.h"

namespace dcmrank::python {

/// What was counted as columns query, kind, key and n0 to n5: rows of the same query, kind and key
/// add up (fit/counts_rows.h).
Table table_of_counts(const LogStatistics& counted);

/// Adds the rows of such columns, in any order, to what `counted` holds. Throws nb::type_error or
/// InputError for others.
void add_count_columns(ArrowArrayStream& stream, LogStatistics& counted);

}  // namespace dcmrank::python
