#pragma once

#include <algorithm>
#include <cstdint>

namespace dcmrank::service {

/// Milliseconds since 1970.
using Time = std::int64_t;

/// Times of the life of what is recorded, in milliseconds.
struct Lifetimes {
  Time close_after = 30LL * 60 * 1000;            // of models that do not say otherwise
  Time correct_for = 24LL * 60 * 60 * 1000;       // clicks count after closing
  Time hold = 2LL * 60 * 1000;                    // clicks wait for their impression
  Time keep = 7LL * 24 * 60 * 60 * 1000;          // closed impressions stay for audit
  Time keep_unused = 90LL * 24 * 60 * 60 * 1000;  // queries and items that are not shown any more

  /// For how long the latter stay: what recorded impressions taught is not removed before these.
  Time unused() const { return std::max(keep_unused, keep + correct_for); }
};

}  // namespace dcmrank::service
