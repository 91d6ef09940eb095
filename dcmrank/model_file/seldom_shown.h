#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "dcmrank/fit/fitted.h"

namespace dcmrank {

/// Items that a log showed a few times only: their attractions are hardly more than the prior. The
/// one rule of --min-shown: an item counts if it was shown at least so often by the counts in the
/// model's file, and a query if as many items remain as its lists have positions.

/// Of the query's lists: as its own parameters tell, else the model's, but no more than its items.
std::size_t positions_of(const FittedModel& model, const FittedQuery& query);

/// Whether enough items were shown `least` times. Throws InputError if the model does not say how
/// often its items were shown.
bool has_enough_shown(const FittedModel& model, const FittedQuery& query, std::uint64_t least,
                      const std::string& source);

/// Leaves out the other items of the query, one of the model's, and says so in a line for people;
/// nothing if there is none. Throws InputError where too few remain, or as above.
std::string leave_out_seldom(const FittedModel& model, FittedQuery& query, std::uint64_t least,
                             const std::string& source);

/// The same for all queries; those of which too few remain are left out. Throws InputError if none
/// remains.
std::string leave_out_seldom(FittedModel& model, std::uint64_t least, const std::string& source);

/// Says how many of the query's items are guesses, and what leaves them out; nothing if none is.
std::string seldom_note(const FittedModel& model, const FittedQuery& query);

}  // namespace dcmrank
