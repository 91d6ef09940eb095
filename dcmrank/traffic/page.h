#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dcmrank/model/interaction.h"

namespace dcmrank::traffic {

/// What the service said of one event of a page.
struct Acknowledged {
  std::uint8_t accepted = 0;  // how often; more than once is a fault of the service
  bool duplicate = false;     // "counted before"
  bool unanswered = false;    // sent, and there was no answer or 503: it may have counted
  std::uint8_t held = 0;      // how often the server did not know the page yet

  bool counts() const { return accepted > 0 || duplicate; }
};

/// A list that a user was shown, what the user did, and what was acknowledged of it.
struct Page {
  std::uint64_t user = 0;  // the time t of DcmUsers; the id of the impression ends with it
  std::size_t query = 0;
  std::vector<Item> list;
  std::vector<std::uint8_t> clicks;  // what the user did, one per position
  std::vector<Acknowledged> events;  // clicks by position, then the close
  bool unknown = false;              // the service did not know it: lost in a crash

  Acknowledged& close() { return events.back(); }
  const Acknowledged& close() const { return events.back(); }

  /// Whether anything that was reported of it counts.
  bool counts() const { return std::ranges::any_of(events, &Acknowledged::counts); }
};

}  // namespace dcmrank::traffic
