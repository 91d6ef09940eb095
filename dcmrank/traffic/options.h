#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dcmrank/model/dcm.h"
#include "dcmrank/traffic/http.h"

namespace dcmrank::traffic {

/// What goes wrong between a user and the service, as shares in [0, 1].
struct Faults {
  double duplicates = 0;  // of the events: sent again later
  double reordered = 0;   // of the pages: their events come in any order, the close included
  double abandoned = 0;   // of the pages: never closed, they time out
  double late = 0;        // of the pages with clicks: the last comes after the page closed
};

/// A query whose users are simulated.
struct Query {
  std::string name;
  Dcm dcm;
  std::vector<std::string> items;  // ids, one per item
  double weight = 1;               // how often it comes, among the others
};

struct TrafficOptions {
  std::vector<Url> urls;         // of servers that share what they know
  std::shared_ptr<SSL_CTX> tls;  // if an address says https: whose certificates are trusted
  std::string key;               // empty: none
  std::vector<Query> queries;
  std::string model = "traffic";  // of the service
  std::string policy = "recommended";
  double rate = 100;  // pages per second
  std::chrono::milliseconds duration{10'000};
  std::chrono::milliseconds delay{50};  // mean, between two acts of a user
  std::chrono::milliseconds late_after{1000};
  std::chrono::milliseconds close_after{3000};
  std::chrono::milliseconds patience{5000};  // with a service that does not answer
  std::size_t connections = 8;
  std::size_t batch = 10;  // events of a request, at most
  std::uint64_t seed = 1;
  Faults faults;
};

}  // namespace dcmrank::traffic
