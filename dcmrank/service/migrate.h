#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// What was moved.
struct Moved {
  std::uint64_t models = 0;
  std::uint64_t queries = 0;
  std::uint64_t impressions = 0;
  std::uint64_t events = 0;
  std::uint64_t held = 0;  // events that wait for an impression: these are left behind
};

/// Copies all that one store holds into another, which must hold nothing: sums to the last bit,
/// impressions with their ids and what they taught, the ids of events, stored answers. Each query
/// is read back and compared. All of it is moved, or nothing. Throws InputError where the other
/// store is not empty.
Moved move_store(Store& from, Store& to, const std::stop_token& stop);

}  // namespace dcmrank::service
