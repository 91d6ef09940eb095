#include "dcmrank/sim/watched_users.h"

#include <algorithm>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {
namespace {

std::size_t first_that_is_no_bit(std::span<const std::uint8_t> values) {
  const auto is_none = [](std::uint8_t value) { return value > 1; };
  return static_cast<std::size_t>(std::find_if(values.begin(), values.end(), is_none) -
                                  values.begin());
}

}  // namespace

void WatchedUsers::refuse_depth(std::uint64_t t, std::size_t depth) const {
  throw InputError(
      fmt::format("depth of user {} is {}, of {}", t, depth, how_many(positions_, "position")));
}

void WatchedUsers::refuse_clicks(std::uint64_t t, Clicks clicks) {
  const std::size_t k = first_that_is_no_bit(clicks);
  throw InputError(fmt::format("visit of user {} gave the click {} at position {}, not 0 or 1", t,
                               clicks[k], k + 1));
}

void WatchedUsers::refuse_sample(std::span<const std::uint8_t> attracted) {
  const std::size_t e = first_that_is_no_bit(attracted);
  throw InputError(fmt::format("initial_sample gave {} for item {}, not 0 or 1", attracted[e], e));
}

}  // namespace dcmrank
