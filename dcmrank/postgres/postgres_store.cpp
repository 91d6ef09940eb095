#include "dcmrank/postgres/postgres_store.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "dcmrank/base/error.h"
#include "dcmrank/libpq/address.h"
#include "dcmrank/pg_schema/schema.h"
#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;
constexpr auto kReading = 3000ms;     // the longest that somebody who ranks waits for the database
constexpr auto kChecking = 60'000ms;  // nobody waits for a recount, which reads all there is

void check_address(const std::string& uri) {
  char* problem = nullptr;
  PQconninfoOption* options = PQconninfoParse(uri.c_str(), &problem);
  const bool good = options != nullptr;
  PQconninfoFree(options);
  const std::string why = problem == nullptr ? "" : problem;
  PQfreemem(problem);
  if (good) return;
  // What stands in quotes may be a part of the password.
  const std::size_t end = std::min(why.find_first_of("\n:\""), why.size());
  const bool quotes = end < why.size() && why[end] == '"';
  throw InputError(fmt::format("--store {}: {}{}", without_password(uri),
                               std::string_view(why).substr(0, end),
                               quotes ? "… (the rest may tell the password)" : ""));
}

class PgStore final : public Store {
 public:
  PgStore(const std::string& uri, std::size_t connections)
      : pool_(std::make_shared<PgPool>(uri, connections, kReading)) {
    migrated_ = prepare_tables(*pool_->open(30'000ms));
  }

  std::unique_ptr<StoreReader> reader() override { return std::make_unique<PgReader>(pool_); }
  std::unique_ptr<StoreWriter> writer() override { return std::make_unique<PgWriter>(pool_); }

  bool is_shared() const override { return true; }
  std::size_t longest_id() const override { return kPgLongestId; }
  std::uint64_t breaks() const override { return pool_->breaks(); }

  bool is_unused() override {
    return pool_->lease()->run("SELECT 1 FROM dcmrank.start LIMIT 1").size() == 0;
  }

  std::uint64_t begin_start() override { return note_start(*pool_->lease()); }

  Time now() override {
    const PgPool::Lease session = pool_->lease();
    return session->run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8").number(0, 0);
  }

  std::uint64_t bytes() const override {
    try {
      const PgPool::Lease session = pool_->lease();
      return static_cast<std::uint64_t>(
          session
              ->run("SELECT sum(pg_total_relation_size(c.oid))::int8 FROM pg_class AS c JOIN "
                    "pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = 'dcmrank' AND "
                    "c.relkind = 'r'")
              .number(0, 0));
    } catch (const std::runtime_error&) {  // away: a metric may be missing
      return 0;
    }
  }

  // The room of old versions of rows is freed by vacuum. Their bytes stay there until they are
  // overwritten, and what the log of the database still has of them is up to whoever runs it
  // (docs/fleet.md).
  Wiped wipe() override {
    const PgRows before = pool_->lease()->run(kToWipe);
    if (before.size() == 0) return Wiped::kNothing;
    if (!pg_buckets_to_erase(*pool_->lease()).empty()) return Wiped::kNotYet;
    const std::int64_t erased = before.number(0, 0);
    if (has_old_answers(erased) || has_old_readers(erased)) return Wiped::kNotYet;
    const auto session = pool_->open(600'000ms);
    session->pipeline(false);
    session->script("SET statement_timeout = 0");
    for (const char* table :
         {"query", "item", "delta", "impression", "pack", "event", "named", "held", "model"}) {
      session->script(fmt::format("VACUUM dcmrank.{}", table));
    }
    session->pipeline(true);
    const PgRows done = session->run(
        "DELETE FROM dcmrank.meta WHERE name = 'to_wipe' AND value = $1::int8 RETURNING 1",
        PgParams().number(erased));
    return done.size() == 1 ? Wiped::kAll : Wiped::kNotYet;
  }

  bool must_wipe() override { return pool_->lease()->run(kToWipe).size() > 0; }

  std::string migrated() const override {
    return migrated_ == 0 ? "" : fmt::format("layout {} became {}", migrated_, kPgLayout);
  }

 private:
  // An answer whose list was not stored may hold what was erased: nobody knows of which query it
  // is. Those that were on their way when this began are soon stored, or free.
  bool has_old_answers(std::int64_t erased) {
    constexpr std::int64_t kPiece = 1000;
    const auto now = std::chrono::steady_clock::now();
    if (std::exchange(answers_of_, erased) != erased) answers_before_ = now;
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now - answers_before_);
    const PgPool::Lease session = pool_->lease();
    PgNamePlace place = kFirstName;
    do {
      for (const PgLooseName& name : pg_loose_names(*session, place, kPiece)) {
        if (name.is_stale()) {
          pg_free_name(*session, name);
        } else if (name.age >= since.count()) {
          return true;
        }
      }
    } while (place != kFirstName);
    return false;
  }

  // Somebody may still see what was erased: a vacuum would leave it. Once all who look now look at
  // a later state than the first one after erasing, nobody does.
  bool has_old_readers(std::int64_t erased) {
    const PgPool::Lease session = pool_->lease();
    if (std::exchange(wiping_, erased) != erased) {
      wipe_from_ =
          session->run("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8").number(0, 0);
    }
    const PgRows rows = session->run(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND "
        "pid <> pg_backend_pid() AND age(backend_xmin) > "
        "age(($1::int8 & 4294967295)::text::xid) LIMIT 1",
        PgParams().number(wipe_from_));
    return rows.size() > 0;
  }

  std::int64_t answers_of_ = 0;
  std::chrono::steady_clock::time_point answers_before_;
  std::int64_t wiping_ = 0;
  std::int64_t wipe_from_ = 0;
  static constexpr const char* kToWipe = "SELECT value FROM dcmrank.meta WHERE name = 'to_wipe'";
  std::shared_ptr<PgPool> pool_;
  int migrated_ = 0;
};

}  // namespace

bool is_postgres(std::string_view address) {
  return address.starts_with("postgresql://") || address.starts_with("postgres://");
}

std::unique_ptr<Store> open_postgres_store(const std::string& uri, std::size_t connections) {
  check_address(uri);
  return std::make_unique<PgStore>(uri, connections);
}

std::unique_ptr<StoreReader> open_postgres_reader(const std::string& uri) {
  check_address(uri);
  const auto pool = std::make_shared<PgPool>(uri, 1, kChecking);
  check_tables(*pool->lease());
  return std::make_unique<PgReader>(pool);
}

}  // namespace dcmrank::service
