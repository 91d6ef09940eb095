#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "dcmrank/model/interaction.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/traffic/options.h"

namespace dcmrank::traffic {

/// A report to the service, some time after the page was shown.
struct PlannedEvent {
  std::chrono::microseconds after{};
  std::size_t event = 0;  // the position of a click; the size of the list is the close
};

/// When and how often the events of one page are sent: in order, an exponential time apart, except
/// for what goes wrong.
std::vector<PlannedEvent> plan_events(Clicks clicks, const TrafficOptions& options, Rng& rng);

}  // namespace dcmrank::traffic
