#pragma once

#include <string>

#include "dcmrank/fit/fitted.h"
#include "frames/table.h"

namespace dcmrank::python {

/// The parameters of a fitted model as tables. `identified` is false if the log says nothing
/// about a value.

/// query, impressions.
Table queries_table(const FittedModel& model);

/// query, item, attraction, low, high, shown, clicked, impressions, identified. low and high are
/// the interval of the attraction, missing where there is none of known coverage.
Table attraction_table(const FittedModel& model);

/// query, item, NAME, identified.
Table item_parameter_table(const FittedModel& model, const std::string& name);

/// position, NAME, identified; of a triangle also `distance` (how far above the last click is, 0
/// for none); of plain numbers `entry` in place of the position; first `query`, where each has its
/// own.
Table list_parameter_table(const FittedModel& model, const std::string& name);

}  // namespace dcmrank::python
