#include <nlohmann/json.hpp>

#include "dcmrank/traffic/traffic.h"

namespace dcmrank::traffic {

nlohmann::ordered_json to_json(const TrafficOptions& options, const TrafficResult& result) {
  using Json = nlohmann::ordered_json;
  const Experience& experience = result.experience;
  Json calls = Json::object();
  for (std::size_t n = 0; n < kCallNames.size(); ++n) {
    const Latencies& times = experience.latencies.at(n);
    if (times.count() == 0) continue;
    calls[kCallNames.at(n)] = {{"answers", times.count()},
                               {"seconds", result.call_seconds.at(n)},
                               {"p50_ms", times.quantile(.5)},
                               {"p99_ms", times.quantile(.99)},
                               {"max_ms", times.longest()}};
  }
  Json statuses = Json::object();
  for (const auto& [status, count] : experience.statuses) statuses[std::to_string(status)] = count;
  Json shares = Json::array();
  for (const SharePoint& point : result.shares) {
    Json share{{"seconds", point.seconds}};
    if (point.shown) share["shown"] = *point.shown;
    if (point.learned) share["learned"] = *point.learned;
    shares.push_back(share);
  }
  return {{"format", "dcmrank.traffic"},
          {"version", 1},
          {"policy", result.policy},
          {"seconds", result.seconds},
          {"rate", options.rate},
          {"seed", options.seed},
          {"faults",
           {{"duplicates", options.faults.duplicates},
            {"reordered", options.faults.reordered},
            {"abandoned", options.faults.abandoned},
            {"late", options.faults.late}}},
          {"pages", result.pages},
          {"unsent", result.unsent},
          {"clicks", result.clicks},
          {"abandoned", result.abandoned},
          {"lost", result.lost},
          {"calls", calls},
          {"statuses", statuses},
          {"events", experience.results},
          {"broken", experience.broken},
          {"events_of_others", result.others},
          {"shares", shares},
          {"disagreements", result.disagreements.count},
          {"first_disagreements", result.disagreements.first}};
}

}  // namespace dcmrank::traffic
