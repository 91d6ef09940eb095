#include "dcmrank/configuration/option.h"
#include "dcmrank/service/key_entry.h"

namespace dcmrank::configuration {

// To add an option, add a line: flag, variable, line of the file, --help and --print-config know it
// then.
std::vector<Option> option_table(service::ServiceOptions& options) {
  auto& limits = options.limits;
  auto& lives = options.lifetimes;
  constexpr std::uint64_t kMostThreads = 1024;
  // clang-format off
  return {
      {"listen", "Address to listen on; port 0 takes any free port; unix:PATH is a Unix socket", Text{&options.listen, "HOST:PORT"}},
      {"data", "Folder of the database", Text{&options.data, "DIR"}},
      {"store", "Keep everything in a PostgreSQL that several servers share, and not in --data: postgresql://USER@HOST/NAME, as libpq takes it", Text{&options.store, "URI"}},
      {"store-connections", "Most connections to that PostgreSQL for reading, besides the one that writes", Count{&options.store_connections, 1, kMostThreads}},
      {"store-age", "Read a query again that was not compared with that PostgreSQL for this long; those in use are compared every second", Time{&options.store_age}},
      {"keys-file", "File of keys, one per line: 'sha256:HEX scope[,scope] model'; SIGHUP reads it again", Text{&options.keys_file, "FILE"}, "keys"},
      {"tls-cert", "Speak TLS, with this chain of certificates (PEM); SIGHUP reads it again", Text{&options.tls_certificate, "FILE"}},
      {"tls-key", "The certificate's key (PEM)", Text{&options.tls_key, "FILE"}},
      {"log", "File for the log, which SIGHUP opens again; without it, the standard error", Text{&options.log, "FILE"}},
      {"log-level", "What goes into the log: error, warning or info", Text{&options.log_level, "LEVEL"}},
      {"access-log", "1: every request goes into the log", Count{&options.access_log, 0, 1}},
      {"slow-time", "A request that takes longer goes into the log", Time{&options.slow_time}},
      {"threads", "Threads that rank (0: as many as there are cores)", Count{&options.threads, 0, kMostThreads}},
      {"rate", "Most requests a second of a key that has no rate of its own; without keys, of all callers (0: no limit)", Count{&limits.rate, 0, service::kMostRequests}},
      {"burst", "Most requests of a key at once, with --rate (0: those of a second)", Count{&limits.burst, 0, service::kMostRequests}},
      {"max-body", "Most bytes in the body of a request", Count{&limits.body}},
      {"max-bodies", "Most bytes of all bodies that are under way", Count{&limits.bodies}},
      {"max-import", "Most bytes in the body of an import", Count{&limits.import_body}},
      {"max-header", "Most bytes in the head of a request", Count{&limits.header}},
      {"max-items", "Most candidates in a ranking request", Count{&limits.candidates}},
      {"max-events", "Most events in a feedback request", Count{&limits.events}},
      {"max-id", "Most bytes in an id or a query", Count{&limits.id}},
      {"max-connections", "Most connections open at a time", Count{&limits.connections}},
      {"cache", "Most bytes of queries kept in memory", Count{&limits.cache}},
      {"max-queue", "Most bytes of lists waiting for the disk", Count{&limits.queue}},
      {"max-queue-events", "Most bytes of events waiting for the disk", Count{&limits.queue_events}},
      {"max-held", "Most events held for impressions not known yet, of each key that has no number of its own", Count{&limits.held}},
      {"header-time", "Longest wait for the head of a request", Time{&limits.header_time}},
      {"body-time", "Longest wait for the body of a request", Time{&limits.body_time}},
      {"idle-time", "Longest pause between two requests of a connection", Time{&limits.idle_time}},
      {"answer-time", "Longest wait for the caller to take an answer", Time{&limits.answer_time}},
      {"close-after", "Close an impression after this long without news, where its model has no time of its own", Time{&lives.close_after}},
      {"correct-for", "Count clicks for this long after their impression closed", Time{&lives.correct_for}},
      {"hold", "Hold an event for this long until its impression is known", Time{&lives.hold}},
      {"keep", "Keep closed impressions for this long, for audit", Time{&lives.keep}},
      {"keep-unused", "Remove queries and items that were not shown for this long", Time{&lives.keep_unused}},
  };
  // clang-format on
}

}  // namespace dcmrank::configuration
