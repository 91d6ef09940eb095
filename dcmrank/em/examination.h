#pragma once

#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/sample.h"

namespace dcmrank {

/// The list parameter of models in which a click is an item that attracts at a place that is
/// examined, independently.
inline constexpr const char* kExamination = "examination";

/// Fits such a model by EM. An item i shown in context b is clicked with probability w_i x_b;
/// `index_of` gives the entry of x in the list "examination", which has `entries`. Only products
/// are seen in a log, so one entry is 1: the first, the top of the page, where the item is always
/// examined, or another that the log says is examined more. `shown` of the items becomes the
/// expected number of examinations.
FittedModel fit_examination(const Sample& sample, const FitOptions& options, std::size_t entries,
                            std::size_t (*index_of)(const ContextCounts& context));

}  // namespace dcmrank
