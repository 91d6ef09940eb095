#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "dcmrank/http/limits.h"
#include "dcmrank/ledger/lifetimes.h"

namespace dcmrank::service {

/// The limits of the service: each has an option of `dcmrank serve`, a refusal and a test.
struct Limits : HttpLimits {
  std::size_t body = 1U << 20U;           // bytes of a request's body
  std::size_t import_body = 256U << 20U;  // of an import's
  std::size_t candidates = 1000;          // items of a ranking request, and k of a model
  std::size_t events = 10'000;            // events of a feedback request
  std::size_t id = 1024;                  // bytes of an id or a query
  std::size_t cache = 256U << 20U;        // bytes of queries in memory
  std::size_t queue = 128U << 20U;        // bytes of lists that wait for the disk
  std::size_t queue_events = 64U << 20U;  // bytes of events that wait for the disk
  std::size_t held = 100'000;             // events held for impressions not known yet, by caller
  std::size_t rate = 0;                   // requests a second of a key; 0: no limit
  std::size_t burst = 0;                  // requests of a key at once; 0: those of a second
};

struct ServiceOptions {
  std::string listen = "127.0.0.1:8080";
  std::string socket_mode;  // of a Unix socket, octal; empty: as the umask has it
  std::string data = "dcmrank-data";
  std::string store;                   // of PostgreSQL, shared with others; empty: `data`
  std::size_t store_connections = 16;  // for reading, at most
  std::int64_t store_age = 2000;       // milliseconds for which what is in memory is believed
  std::string keys_file;
  std::string tls_certificate;  // PEM files; empty: plain HTTP
  std::string tls_key;
  std::size_t threads = 0;  // 0: one per core
  std::string log;          // file; empty: the standard error
  std::string log_level = "info";
  std::size_t access_log = 0;     // 1: a line for every request
  std::int64_t slow_time = 1000;  // milliseconds from which a request is worth a line
  Limits limits;
  Lifetimes lifetimes;
};

}  // namespace dcmrank::service
