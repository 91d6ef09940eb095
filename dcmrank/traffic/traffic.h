#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/traffic/checker.h"
#include "dcmrank/traffic/client.h"
#include "dcmrank/traffic/options.h"

namespace dcmrank::traffic {

/// Expected reward as a share of the optimal one, at a time of the run.
struct SharePoint {
  double seconds = 0;
  std::optional<double> shown;    // of the pages shown up to then since the point before
  std::optional<double> learned;  // of the items by their estimates
};

struct TrafficResult {
  std::string policy;  // as the service calls it
  double seconds = 0;  // until the last page was there; no less than the duration
  std::uint64_t pages = 0;
  std::uint64_t unsent = 0;  // pages that were due, and never asked for: all clients were waiting
  std::uint64_t clicks = 0;  // what the users did
  std::uint64_t abandoned = 0;  // pages never closed
  std::uint64_t lost = 0;       // pages that the service lost, as it may in a crash
  std::uint64_t others = 0;     // events that the service accepted from others
  std::vector<SharePoint> shares;
  Experience experience;
  std::array<double, kCallNames.size()> call_seconds{};  // until the last answer, likewise
  Recount recount;
  Disagreements disagreements;
};

/// Lets users visit the service and checks, through its calls alone, that what it learned is what
/// they did. `pages` counts up while it runs. Throws what ends the run before it could be checked.
TrafficResult run_traffic(const TrafficOptions& options, const std::stop_token& stop,
                          std::atomic<std::uint64_t>& pages);

nlohmann::ordered_json to_json(const TrafficOptions& options, const TrafficResult& result);

}  // namespace dcmrank::traffic
