#include "dcmrank/service/service.h"

#include <filesystem>
#include <utility>

#include "dcmrank/registry/registry.h"

namespace dcmrank::service {
namespace {

// Every start takes 2^40 numbers: what was given out but lost in a crash is never given out again.
constexpr unsigned kNumbersOfAStart = 40;

std::uint64_t begin_start(Database& database) {
  database.execute("BEGIN IMMEDIATE");
  database.execute(
      "INSERT INTO meta(name, value) VALUES('starts', 1) ON CONFLICT(name) DO UPDATE SET value = "
      "value + 1");
  const auto starts = database.number("SELECT value FROM meta WHERE name = 'starts'");
  database.execute("COMMIT");
  return static_cast<std::uint64_t>(starts) << kNumbersOfAStart;
}

void add_default_model(Database& database, const Lifetimes& lifetimes) {
  const Model model;
  Statement insert(database,
                   "INSERT OR IGNORE INTO model(name, policy, k, close_after, shadow) "
                   "VALUES('default', ?, ?, ?, 0)");
  insert.run(served_policy(), std::uint64_t{model.k}, lifetimes.close_after);
}

Time latest_time(Database& database) {
  return database.number("SELECT max(made, news) FROM impression ORDER BY number DESC LIMIT 1");
}

}  // namespace

Service::Service(ServiceOptions options, std::shared_ptr<const Keys> keys)
    : options_(std::move(options)),
      keys_(std::move(keys)),
      rates_(options_.limits.rate, options_.limits.burst),
      lock_(options_.data),
      cache_(options_.limits.cache),
      database_(open_database(options_.data)),
      clock_(latest_time(database_)),
      number_(begin_start(database_)),
      writer_((add_default_model(database_, options_.lifetimes), open_database(options_.data)),
              cache_, models_, clock_, options_.lifetimes, options_.limits, metrics_) {
  models_.set(read_models(database_));
  writer_.on_settled([this](const NewImpression& impression) {
    if (impression.id.empty()) return;
    auto& shard = named_.of(impression.id);
    const std::lock_guard lock(shard.mutex);
    shard.entries.erase(impression.id);
  });
  writer_.start();
}

Service::~Service() { stop(); }

void Service::measure() {
  metrics_.cache_bytes.Set(static_cast<double>(cache_.bytes()));
  metrics_.cache_queries.Set(static_cast<double>(cache_.queries()));
  metrics_.cache_loads.Set(static_cast<double>(cache_.loads()));
  metrics_.cache_evictions.Set(static_cast<double>(cache_.evictions()));
  std::error_code error;
  const auto size = std::filesystem::file_size(database_file(options_.data), error);
  metrics_.database_bytes.Set(error ? 0 : static_cast<double>(size));
}

}  // namespace dcmrank::service
