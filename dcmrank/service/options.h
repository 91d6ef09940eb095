#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dcmrank::service {

/// The limits of the service: each has an option of `dcmrank serve`, a refusal and a test.
struct Limits {
  std::size_t body = 1U << 20U;           // bytes of a request's body
  std::size_t import_body = 256U << 20U;  // of an import's
  std::size_t header = 16U << 10U;        // bytes of a request's head
  std::size_t candidates = 1000;          // items of a ranking request
  std::size_t events = 10'000;            // events of a feedback request
  std::size_t id = 1024;                  // bytes of an id or a query
  std::size_t connections = 1024;         // open at a time
  std::size_t cache = 256U << 20U;        // bytes of queries in memory
  std::size_t queue = 100'000;            // impressions that wait for the disk
  std::size_t queue_events = 200'000;     // events that wait for the disk
  std::size_t held = 100'000;             // events held for an impression not known yet
  std::size_t rate = 0;                   // requests a second of a key; 0: no limit
  std::size_t burst = 0;                  // requests of a key at once; 0: those of a second
  std::int64_t header_time = 10'000;      // milliseconds for a request's head
  std::int64_t body_time = 30'000;        // and for its body
  std::int64_t idle_time = 75'000;        // between requests
  std::int64_t answer_time = 30'000;      // for the caller to take the answer
};

/// Times of the life of an impression, in milliseconds.
struct Lifetimes {
  std::int64_t close_after = 30LL * 60 * 1000;       // of models that do not say otherwise
  std::int64_t correct_for = 24LL * 60 * 60 * 1000;  // clicks count after closing
  std::int64_t hold = 2LL * 60 * 1000;               // clicks wait for their impression
  std::int64_t keep = 7LL * 24 * 60 * 60 * 1000;     // closed impressions stay for audit
};

struct ServiceOptions {
  std::string listen = "127.0.0.1:8080";
  std::string data = "dcmrank-data";
  std::string keys_file;
  std::string tls_certificate;  // PEM files; empty: plain HTTP
  std::string tls_key;
  std::size_t threads = 0;  // 0: one per core
  Limits limits;
  Lifetimes lifetimes;
};

}  // namespace dcmrank::service
