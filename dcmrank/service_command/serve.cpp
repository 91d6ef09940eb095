#include "dcmrank/service/serve.h"

#include <cstdio>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/command/options.h"
#include "dcmrank/service/bodies.h"

namespace dcmrank::command {
namespace {

// An option that is a number or a time: its text, and where its value goes.
struct Bound {
  const char* name;
  const char* help;
  std::string text;
  std::size_t* count = nullptr;
  std::int64_t* time = nullptr;
};

struct ServeArguments {
  service::ServiceOptions options;
  std::vector<Bound> bounds;
};

std::vector<Bound> bounds_of(service::ServiceOptions& options) {
  auto& limits = options.limits;
  auto& lives = options.lifetimes;
  std::vector<Bound> bounds{
      {"--threads", "Threads that rank (0: as many as there are cores)", "", &options.threads},
      {"--rate", "Most requests a second of a key that has no rate of its own (0: no limit)", "",
       &limits.rate},
      {"--burst", "Most requests of a key at once, with --rate (0: those of a second)", "",
       &limits.burst},
      {"--max-body", "Most bytes in the body of a request", "", &limits.body},
      {"--max-import", "Most bytes in the body of an import", "", &limits.import_body},
      {"--max-header", "Most bytes in the head of a request", "", &limits.header},
      {"--max-items", "Most candidates in a ranking request", "", &limits.candidates},
      {"--max-events", "Most events in a feedback request", "", &limits.events},
      {"--max-id", "Most bytes in an id or a query", "", &limits.id},
      {"--max-connections", "Most connections open at a time", "", &limits.connections},
      {"--cache", "Most bytes of queries kept in memory", "", &limits.cache},
      {"--max-queue", "Most impressions waiting for the disk", "", &limits.queue},
      {"--max-queue-events", "Most events waiting for the disk", "", &limits.queue_events},
      {"--max-held", "Most events held for impressions not known yet", "", &limits.held},
      {"--header-time", "Longest wait for the head of a request", "", nullptr, &limits.header_time},
      {"--body-time", "Longest wait for the body of a request", "", nullptr, &limits.body_time},
      {"--idle-time", "Longest pause between two requests of a connection", "", nullptr,
       &limits.idle_time},
      {"--answer-time", "Longest wait for the caller to take an answer", "", nullptr,
       &limits.answer_time},
      {"--close-after",
       "Close an impression after this long without news (a model may have its own time)", "",
       nullptr, &lives.close_after},
      {"--correct-for", "Count clicks for this long after their impression closed", "", nullptr,
       &lives.correct_for},
      {"--hold", "Hold an event for this long until its impression is known", "", nullptr,
       &lives.hold},
      {"--keep", "Keep closed impressions for this long, for audit", "", nullptr, &lives.keep}};
  for (Bound& bound : bounds) {
    bound.text = bound.count != nullptr ? std::to_string(*bound.count)
                                        : service::print_duration(*bound.time);
  }
  return bounds;
}

void read(const Bound& bound, const service::ServiceOptions& options) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
  constexpr std::uint64_t kMostThreads = 1024;
  if (bound.count != nullptr) {
    const bool threads = bound.count == &options.threads;
    const bool rates = bound.count == &options.limits.rate || bound.count == &options.limits.burst;
    const bool zero = (threads || rates) && bound.text == "0";
    *bound.count = zero ? 0
                        : parse_count(bound.name, bound.text,
                                      threads ? kMostThreads
                                      : rates ? service::kMostRequests
                                              : kMost);
    return;
  }
  const auto time = service::parse_duration(bound.text);
  if (!time) {
    throw InputError(
        fmt::format("{} is {}, not a time such as 30m, 45s or 2h", bound.name, quote(bound.text)));
  }
  *bound.time = *time;
}

void run_serve(ServeArguments& arguments, const Context& context) {
  for (const Bound& bound : arguments.bounds) read(bound, arguments.options);
  const std::string& file = arguments.options.keys_file;
  const auto read_keys = [&file] {
    return file.empty() ? std::make_shared<const service::Keys>()
                        : std::make_shared<const service::Keys>(read_file(file), file);
  };
  service::serve(arguments.options, {read_keys(), read_keys}, context.stop,
                 [](const std::string& address) {
                   fmt::print("listening on {}\n", address);
                   std::fflush(stdout);
                 });
}

}  // namespace

void add_serve(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand(
      "serve", "Run a service that ranks for an application and learns from clicks");
  const auto arguments = std::make_shared<ServeArguments>();
  service::ServiceOptions& options = arguments->options;
  command
      ->add_option("--listen", options.listen,
                   "Address to listen on; port 0 takes any free port; unix:PATH is a Unix socket")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command->add_option("--data", options.data, "Folder of the database")
      ->type_name("DIR")
      ->capture_default_str();
  command
      ->add_option("--keys", options.keys_file,
                   "File of keys, one per line: 'sha256:HEX scope[,scope] model'; SIGHUP reads it "
                   "again")
      ->type_name("FILE");
  command
      ->add_option("--tls-cert", options.tls_certificate,
                   "Speak TLS, with this chain of certificates (PEM); SIGHUP reads it again")
      ->type_name("FILE");
  command->add_option("--tls-key", options.tls_key, "The certificate's key (PEM)")
      ->type_name("FILE");
  arguments->bounds = bounds_of(options);
  for (Bound& bound : arguments->bounds) {
    command->add_option(bound.name, bound.text, bound.help)
        ->type_name(bound.count != nullptr ? "N" : "TIME")
        ->capture_default_str();
  }
  command->footer("Example:\n  dcmrank serve --listen 127.0.0.1:8080 --data dcmrank-data");
  command->callback([arguments, context] { run_serve(*arguments, context); });
}

}  // namespace dcmrank::command
