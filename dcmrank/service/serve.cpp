#include "dcmrank/service/serve.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sodium.h>

#include "dcmrank/base/duration.h"
#include "dcmrank/base/error.h"
#include "dcmrank/http/address.h"
#include "dcmrank/ledger/impression.h"
#include "dcmrank/libpq/address.h"
#include "dcmrank/service/api.h"
#include "dcmrank/service/background.h"
#include "dcmrank/service/openapi.h"
#include "dcmrank/service/watch.h"

namespace dcmrank::service {

namespace {

// Where the new keys are wrong, the old ones stay, and the rest of the reload goes on.
std::optional<KeySource::Again> reload_keys(Service& service, const KeySource& source) {
  try {
    auto again = source.again();
    if (!again.keys->needed() && service.keys().get()->needed()) {
      throw InputError("no key is left, and without keys everyone would be let in");
    }
    service.keys().set(again.keys);
    return again;
  } catch (const std::exception& error) {
    service.metrics().refused("reload");
    service.journal().line(Journal::Level::kError, "keys_stay").with("problem", error.what());
    return std::nullopt;
  }
}

void write_notes(Journal& journal, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    journal.line(Journal::Level::kWarning, "note").with("problem", note);
  }
}

void note_reloaded(Journal& journal, const KeySource::Again& again) {
  write_notes(journal, again.keys->notes());
  auto line = journal.line(Journal::Level::kInfo, "reloaded");
  if (again.needs_restart.empty()) return;
  line.with("needs_restart", fmt::format("{}", fmt::join(again.needs_restart, ", ")));
}

// What could never be taken must not look as if it could be later (503), or wait for ever.
void check_limits(const Limits& limits) {
  const auto least = [](const char* option, std::size_t value, const char* other,
                        std::size_t needed) {
    if (value >= needed) return;
    throw InputError(fmt::format("{} {} is less than {} {}: such a request could never be accepted",
                                 option, value, other, needed));
  };
  least("--max-bodies", limits.bodies, "--max-body", limits.body);
  least("--max-bodies", limits.bodies, "--max-import", limits.import_body);
  least("--max-queue", limits.queue, "--max-body", limits.body);
  const std::size_t own = made_id(0, 0).size();
  if (limits.id < own) {
    throw InputError(
        fmt::format("--max-id {} is less than the {} bytes of the ids that the service "
                    "gives to impressions",
                    limits.id, own));
  }
}

}  // namespace

bool can_be_socket_mode(std::string_view text) { return text.empty() || parse_mode(text); }

void check_start(const ServiceOptions& options, const Keys& keys) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    throw InputError("--tls-cert and --tls-key go together");
  }
  if (!options.tls_key.empty()) check_tls(options.tls_certificate, options.tls_key);
  if (!options.socket_mode.empty() && !unix_path(options.listen)) {
    throw InputError("--socket-mode is for --listen unix:PATH");
  }
  if (!is_loopback(options.listen) && !keys.needed()) {
    throw InputError(fmt::format(
        "--listen {}: without --keys the service listens only on this machine (127.0.0.1)",
        options.listen));
  }
  check_limits(options.limits);
  check_place(options);
}

std::vector<std::string> start_notes(const ServiceOptions& options, const Keys& keys) {
  const Lifetimes& lives = options.lifetimes;
  std::vector<std::string> notes = keys.notes();
  if (lives.keep < lives.correct_for) {
    notes.push_back(fmt::format(
        "--keep {} is less than --correct-for {}: impressions are kept for the latter, from when "
        "they closed",
        print_duration(lives.keep), print_duration(lives.correct_for)));
  }
  if (lives.keep_unused < lives.unused()) {
    notes.push_back(fmt::format(
        "--keep-unused {} is less than --keep and --correct-for together: what is not shown is "
        "removed after {}",
        print_duration(lives.keep_unused), print_duration(lives.unused())));
  }
  return notes;
}

void serve(const ServiceOptions& options, const KeySource& keys, const std::stop_token& stop,
           const std::function<void(const std::string& address)>& ready) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a disk that is full
  if (sodium_init() < 0) throw std::runtime_error("no source of random numbers on this machine");
  check_start(options, *keys.now);
  std::unique_ptr<Service> kept;  // longer than the server, whose threads use it
  Watch watch(options.slow_time, options.access_log != 0);
  HttpServer server(options.limits, watch);
  const bool tls = !options.tls_certificate.empty();
  if (tls) server.use_tls(options.tls_certificate, options.tls_key);
  // What cannot listen leaves no database behind.
  const std::string bound = server.listen(options.listen, parse_mode(options.socket_mode));
  kept = std::make_unique<Service>(options, keys.now);
  Service& service = *kept;
  Journal& journal = service.journal();
  watch.tell(service.metrics(), journal);
  const std::string address =
      bound.starts_with("unix:") ? bound : fmt::format("{}://{}", tls ? "https" : "http", bound);
  // Not by a thread that serves: a file system may stand still.
  Background reloads;
  const auto reload = [&] {
    bool good = true;
    try {
      journal.reopen();
      if (tls) server.use_tls(options.tls_certificate, options.tls_key);
    } catch (const std::exception& error) {
      service.metrics().refused("reload");
      journal.line(Journal::Level::kError, "reload_failed").with("problem", error.what());
      good = false;
    }
    const auto again = reload_keys(service, keys);
    if (good && again) note_reloaded(journal, *again);
  };
  server.on_hangup([&] { reloads.add(reload); });
  const std::size_t threads = options.threads != 0
                                  ? options.threads
                                  : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::optional<Askers> askers;  // gone before the server, to which they answer
  if (service.store().is_shared()) {
    askers.emplace(options.store_connections, [&] { return Api::asker(service); });
  }
  server.start(threads,
               [&] { return Api::handler(service, askers.has_value() ? &*askers : nullptr); });
  journal.line(Journal::Level::kInfo, "started")
      .with("version", program_version())
      .with("address", address)
      .with(options.store.empty() ? "data" : "store",
            options.store.empty() ? options.data : without_password(options.store))
      .with("threads", std::uint64_t{threads});
  // Whoever starts it without a file reads the notes where the log is, before it.
  if (!options.log.empty()) write_notes(journal, start_notes(options, *keys.now));
  ready(address);
  std::binary_semaphore stopped(0);
  const std::stop_callback on_stop(stop, [&] { stopped.release(); });
  stopped.acquire();
  journal.line(Journal::Level::kInfo, "stopping");
  server.stop();
  if (askers) askers->stop();
  service.stop();
  journal.line(Journal::Level::kInfo, "stopped");
}

}  // namespace dcmrank::service
