#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dcmrank/click_model/parameter.h"
#include "dcmrank/fit/fitted.h"

namespace dcmrank {

/// The values of a list; for those about which the log says nothing, the smallest of the others
/// stands in: of the same row in a triangle, where there is one. Empty if all are unidentified.
std::vector<double> with_stand_ins(const ListParameter& list, const FittedList& fitted);

/// "SOURCE was written before EM had converged", where it was.
std::string unfinished_note(const FittedModel& model, const std::string& source);

/// The warning that `deeper` of `pages` pages are longer than those that the model was fitted to;
/// nothing if none is.
std::string deeper_note(const FittedModel& model, double deeper, double pages);
/// The same that `unknown` of them have queries that the model does not know.
std::string unknown_note(const FittedModel& model, double unknown, double pages);

/// How many numbers of a model its log could not tell.
std::size_t unidentified_count(const FittedModel& model);

/// Makes one query of a model fit to be simulated: what its log could not tell is not taken for
/// truth. For an entry of a list the smallest identified one stands in (with_stand_ins), for a
/// probability of an item the smallest of the query's other items; items whose attraction is
/// unknown are left out. Returns what was done, in a line for people, or nothing. Throws InputError
/// where there is no such query, or nothing identified that could stand in.
std::string stand_in(FittedModel& model, const std::string& query, const std::string& source);

}  // namespace dcmrank
