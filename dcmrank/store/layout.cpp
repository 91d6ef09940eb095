#include "dcmrank/store/layout.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "dcmrank/base/error.h"

namespace dcmrank::service {
namespace {

// A row is a text of numbers (fixed.h). Times are milliseconds since 1970.
constexpr const char* kTables = R"(
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE model(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, policy TEXT NOT NULL,
  k INTEGER NOT NULL, close_after INTEGER NOT NULL, shadow INTEGER NOT NULL);
CREATE TABLE query(id INTEGER PRIMARY KEY, model INTEGER NOT NULL, name TEXT NOT NULL,
  rounds INTEGER NOT NULL DEFAULT 0, base_rounds INTEGER NOT NULL DEFAULT 0,
  forgotten INTEGER NOT NULL DEFAULT 0, positions BLOB, base_positions BLOB, UNIQUE(model, name));
CREATE TABLE item(query INTEGER NOT NULL, name TEXT NOT NULL, state BLOB, base BLOB,
  forgotten INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(query, name)) WITHOUT ROWID;
CREATE TABLE impression(number INTEGER PRIMARY KEY, word INTEGER NOT NULL, model INTEGER NOT NULL,
  query INTEGER NOT NULL, made INTEGER NOT NULL, news INTEGER NOT NULL, state INTEGER NOT NULL,
  seen INTEGER, id TEXT, page BLOB NOT NULL, clicks BLOB, contribution BLOB, events BLOB);
CREATE TABLE named(id TEXT PRIMARY KEY, number INTEGER NOT NULL, body BLOB NOT NULL,
  answer BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE event(id TEXT PRIMARY KEY, what BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE held(number INTEGER PRIMARY KEY, impression TEXT NOT NULL, until INTEGER NOT NULL,
  body BLOB NOT NULL);
CREATE INDEX held_of_impression ON held(impression);
)";

void create(const std::filesystem::path& file) {
  std::filesystem::path unfinished = file;
  unfinished += ".new";
  std::filesystem::remove(unfinished);
  {
    Database database(unfinished.string(), Database::Mode::kCreate);
    database.execute("PRAGMA synchronous=EXTRA");
    database.execute("BEGIN IMMEDIATE");
    database.execute(kTables);
    database.execute(fmt::format("PRAGMA application_id={}", kApplicationId).c_str());
    database.execute(fmt::format("PRAGMA user_version={}", kLayoutVersion).c_str());
    database.execute("COMMIT");
  }
  std::filesystem::rename(unfinished, file);
}

// Brings the database from the version of its index, counted from 1, to the next.
using Migration = void (*)(Database&);
constexpr std::array<Migration, kLayoutVersion - 1> kMigrations{};

void migrate(Database& database) {
  auto version = static_cast<std::size_t>(database.number("PRAGMA user_version"));
  if (version > kLayoutVersion) throw StorageError("its log has a later layout version");
  for (; version < kLayoutVersion; ++version) {
    database.execute("BEGIN IMMEDIATE");
    kMigrations.at(version - 1)(database);
    database.execute(fmt::format("PRAGMA user_version={}", version + 1).c_str());
    database.execute("COMMIT");
  }
}

void configure(Database& database) {
  database.execute("PRAGMA journal_mode=WAL");
  database.execute("PRAGMA synchronous=FULL");
  database.execute("PRAGMA wal_autocheckpoint=4000");
  database.execute("PRAGMA cache_size=-65536");
  database.execute("PRAGMA journal_size_limit=67108864");
}

}  // namespace

std::filesystem::path database_file(const std::filesystem::path& data) {
  return data / "dcmrank.db";
}

FolderLock::FolderLock(const std::filesystem::path& data) {
  std::error_code error;
  std::filesystem::create_directories(data, error);
  const std::filesystem::path file = data / "lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {
    throw InputError(fmt::format("--data {}: cannot write there: {}", data.string(),
                                 std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe)
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw InputError(
        fmt::format("--data {}: another dcmrank serve uses this folder", data.string()));
  }
}

FolderLock::~FolderLock() { ::close(descriptor_); }

// Through SQLite, and never by opening the file: closing it again would drop all locks that this
// process holds on it, and others would take the log of a running service for one that nobody uses.
void check_database_file(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{} {}; it is left as it is", file.string(), why));
  };
  std::int64_t application = 0;
  std::int64_t version = 0;
  try {
    Database database(file.string(), Database::Mode::kLook);
    application = database.number("PRAGMA application_id");
    version = database.number("PRAGMA user_version");
  } catch (const StorageError&) {  // what is no database has no such number
  }
  if (application != kApplicationId) refuse("is not a database of dcmrank");
  if (version < 1 || version > kLayoutVersion) {
    refuse(fmt::format("has layout version {}; this dcmrank knows versions up to {}", version,
                       kLayoutVersion));
  }
}

Database open_database(const std::filesystem::path& data) {
  const std::filesystem::path file = database_file(data);
  if (!std::filesystem::exists(file)) create(file);
  check_database_file(file);
  try {
    Database database(file.string(), Database::Mode::kWrite);
    database.number("SELECT count(*) FROM sqlite_schema");
    configure(database);
    migrate(database);
    return database;
  } catch (const StorageError& error) {
    throw InputError(fmt::format("{} cannot be opened: {}", file.string(), error.what()));
  }
}

Database open_reader(const std::filesystem::path& data) {
  const std::filesystem::path file = database_file(data);
  if (!std::filesystem::exists(file)) {
    throw InputError(fmt::format("{} is not there", file.string()));
  }
  check_database_file(file);
  Database database(file.string(), Database::Mode::kRead);
  database.execute("PRAGMA cache_size=-8192");
  return database;
}

}  // namespace dcmrank::service
