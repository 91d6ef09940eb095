#include "dcmrank/configuration/option.h"
#include "dcmrank/service/journal.h"
#include "dcmrank/service/key_entry.h"
#include "dcmrank/service/serve.h"

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
      {"socket-mode", "Who may connect to a Unix socket, as chmod has it: 0660; without it, the umask decides", Text{&options.socket_mode, "MODE", "an octal mode such as 0660", service::can_be_socket_mode}},
      {"data", "Folder of the database", Text{&options.data, "DIR"}},
      {"store", "Keep everything in a PostgreSQL database that several servers share, instead of --data: a libpq URI such as postgresql://USER@HOST/NAME", Text{&options.store, "URI"}},
      {"store-connections", "Maximum number of connections to PostgreSQL for reading, besides the one that writes", Count{&options.store_connections, 1, kMostThreads}},
      {"store-age", "Reload a query that has not been compared with PostgreSQL for this long; queries in use are compared every second", Time{&options.store_age}},
      {"keys-file", "File of keys, one per line: 'sha256:HEX scope[,scope] model'; reloaded on SIGHUP", Text{&options.keys_file, "FILE"}, "keys"},
      {"tls-cert", "Use TLS with this certificate chain (PEM); reloaded on SIGHUP", Text{&options.tls_certificate, "FILE"}},
      {"tls-key", "Private key of the certificate (PEM); reloaded on SIGHUP", Text{&options.tls_key, "FILE"}},
      {"log", "Log file, reopened on SIGHUP; without it, standard error", Text{&options.log, "FILE"}},
      {"log-level", "Least serious level to log: error, warning or info", Text{&options.log_level, "LEVEL", "error, warning or info", [](std::string_view text) { return service::find_level(text).has_value(); }}},
      {"access-log", "1: log every request", Count{&options.access_log, 0, 1}},
      {"slow-time", "Log requests that take longer than this", Time{&options.slow_time}},
      {"threads", "Threads that rank (0: one per core)", Count{&options.threads, 0, kMostThreads}},
      {"rate", "Maximum requests per second of a key without a rate of its own; without keys, of all callers together (0: no limit)", Count{&limits.rate, 0, service::kMostRequests}},
      {"burst", "Maximum requests of a key at once, with --rate (0: those of one second)", Count{&limits.burst, 0, service::kMostRequests}},
      {"max-body", "Maximum size of a request body", Size{&limits.body}},
      {"max-bodies", "Maximum size of all request bodies in progress together", Size{&limits.bodies}},
      {"max-import", "Maximum size of the body of an import", Size{&limits.import_body}},
      {"max-header", "Maximum size of a request header", Size{&limits.header}},
      {"max-items", "Maximum number of candidates in a ranking request", Count{&limits.candidates}},
      {"max-events", "Maximum number of events in a feedback request", Count{&limits.events}},
      {"max-id", "Maximum size of an id or a query", Size{&limits.id}},
      {"max-connections", "Maximum number of open connections", Count{&limits.connections}},
      {"cache", "Maximum size of the queries kept in memory", Size{&limits.cache}},
      {"max-queue", "Maximum size of the lists waiting for the disk", Size{&limits.queue}},
      {"max-queue-events", "Maximum size of the events waiting for the disk", Size{&limits.queue_events}},
      {"max-held", "Maximum number of events held for impressions not known yet, per key without a number of its own", Count{&limits.held}},
      {"header-time", "Longest wait for a request header", Time{&limits.header_time}},
      {"body-time", "Longest wait for a request body", Time{&limits.body_time}},
      {"idle-time", "Longest pause between two requests on a connection", Time{&limits.idle_time}},
      {"answer-time", "Longest wait for the caller to read an answer", Time{&limits.answer_time}},
      {"close-after", "Close an impression after this long without events, unless its model has a time of its own", Time{&lives.close_after}},
      {"correct-for", "Count clicks for this long after their impression closed", Time{&lives.correct_for}},
      {"hold", "Hold an event for this long until its impression is known", Time{&lives.hold}},
      {"keep", "Keep closed impressions for this long, for audit; always for --correct-for after they closed", Time{&lives.keep}},
      {"keep-unused", "Remove queries and items that have not been shown for this long; never sooner than --keep and --correct-for together", Time{&lives.keep_unused}},
  };
  // clang-format on
}

}  // namespace dcmrank::configuration
