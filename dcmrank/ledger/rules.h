// What becomes of an impression: the rules of docs/service.md, which know of no database. Every
// store keeps impressions; what happens to them is decided here alone.
#pragma once

#include <optional>
#include <string_view>

#include "dcmrank/ledger/impression.h"
#include "dcmrank/ledger/lifetimes.h"

namespace dcmrank::service {

/// Takes an event for its impression, which changes only where the result is `accepted`.
EventResult take_event(Impression& impression, const Event& event, Time now,
                       const Lifetimes& lifetimes);

/// When an open impression is to close where no event comes.
Time due_time(const Impression& impression, Time close_after);

/// Whether a closed impression may go.
bool is_old(const Impression& impression, Time now, const Lifetimes& lifetimes);

/// Closes an open impression whose time is up.
void time_out(Impression& impression, Time now);

/// Removes the text of an item from an impression, the ids of its events, and what it taught of the
/// item. False if the list does not have it.
bool erase_item(Impression& impression, std::string_view item);

}  // namespace dcmrank::service
