#pragma once

#include <string_view>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/fitted.h"

namespace dcmrank {

/// What a fitted model is: rules for those who read one from a file, and for what estimators give,
/// so that what is written can be read. All throw InputError that names the field.

void check_id(std::string_view id);

/// Clicks are no more than the impressions in which an item was examined.
void check_counts(const FittedItem& item);

/// Whether an item has a probability of that name: attraction, or a parameter of the model.
bool has_probability(const ClickModel& model, std::string_view name);

/// What all queries share is there, for all positions.
void check_shared_lists(const ClickModel& model, const FittedModel& head);

/// A list that queries may have of their own is there for each, or for all; it may end before the
/// last position.
void check_query_lists(const ClickModel& model, const FittedModel& head, const FittedQuery& query);

/// Both of all queries; and there are some, none twice.
void check_model(const ClickModel& model, const FittedModel& fitted);

/// Everything that a file must hold, of what the estimator of a model gave, whoever wrote it. The
/// message names the model, the query and the item, too.
void check_estimates(const ClickModel& model, const FittedModel& fitted);

}  // namespace dcmrank
