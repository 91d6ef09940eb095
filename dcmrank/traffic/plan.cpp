#include "dcmrank/traffic/plan.h"

#include <cmath>
#include <utility>

namespace dcmrank::traffic {
namespace {

using std::chrono::microseconds;

microseconds exponential(microseconds mean, Rng& rng) {
  return microseconds(
      std::llround(-std::log(1 - rng.uniform()) * static_cast<double>(mean.count())));
}

}  // namespace

std::vector<PlannedEvent> plan_events(Clicks clicks, const TrafficOptions& options, Rng& rng) {
  const Faults& faults = options.faults;
  const std::size_t last = last_click(clicks);
  const bool abandoned = rng.uniform() < faults.abandoned;
  const bool reordered = rng.uniform() < faults.reordered;
  const bool late = last > 0 && rng.uniform() < faults.late;
  std::vector<PlannedEvent> events;
  microseconds now{};
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    if (clicks[k] != 0) events.push_back({now += exponential(options.delay, rng), k});
  }
  if (!abandoned) events.push_back({now += exponential(options.delay, rng), clicks.size()});
  if (reordered) {
    for (std::size_t n = events.size(); n > 1; --n) {
      std::swap(events[n - 1].after, events[rng.below(n)].after);
    }
  }
  if (late) {
    const microseconds closes = abandoned ? now + options.close_after : now;
    for (PlannedEvent& event : events) {
      if (event.event == last - 1) event.after = closes + options.late_after;
    }
  }
  const std::size_t once = events.size();
  for (std::size_t n = 0; n < once; ++n) {
    if (rng.uniform() >= faults.duplicates) continue;
    events.push_back({events[n].after + exponential(options.delay, rng), events[n].event});
  }
  return events;
}

}  // namespace dcmrank::traffic
