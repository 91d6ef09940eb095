#pragma once

#include <optional>

#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/interval.h"

namespace dcmrank {

/// An interval that covers the attraction of an item of a fitted model in 95 % of all logs, if the
/// model is true; nothing if none with that coverage is known. EM has it from the observed
/// information (information.h). Counts give one only if they are plain trials of the attraction:
/// counting up to the last click is biased, and Wilson's interval then in the wrong place.
std::optional<Interval> attraction_interval(const FittedModel& model, const FittedItem& item);

}  // namespace dcmrank
