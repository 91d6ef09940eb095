#include "dcmrank/store/layout.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "dcmrank/base/error.h"
#include "dcmrank/store/files.h"

namespace dcmrank::service {
namespace {

// A row is numbers in a blob (ledger/fixed.h). Times are milliseconds since 1970. Ids of models and
// queries are never used again: what was erased stays so. A model without a name is being erased.
constexpr const char* kTables = R"(
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE model(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE CHECK(name <> ''),
  policy TEXT NOT NULL, kept TEXT NOT NULL, learned_anew INTEGER NOT NULL, k INTEGER NOT NULL CHECK(k >= 1),
  close_after INTEGER NOT NULL CHECK(close_after >= 1),
  shadow INTEGER NOT NULL CHECK(shadow BETWEEN 0 AND 1)) STRICT;
CREATE TABLE query(id INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL,
  name TEXT NOT NULL CHECK(name <> ''), used INTEGER NOT NULL,
  rounds INTEGER NOT NULL DEFAULT 0 CHECK(rounds >= 0), positions BLOB NOT NULL DEFAULT x'',
  base_rounds INTEGER NOT NULL DEFAULT 0 CHECK(base_rounds >= 0),
  base_positions BLOB NOT NULL DEFAULT x'', UNIQUE(model, name)) STRICT;
CREATE TABLE item(query INTEGER NOT NULL, name TEXT NOT NULL CHECK(name <> ''),
  used INTEGER NOT NULL, state BLOB NOT NULL DEFAULT x'', base BLOB NOT NULL DEFAULT x'',
  PRIMARY KEY(query, name)) STRICT, WITHOUT ROWID;
CREATE TABLE impression(number INTEGER PRIMARY KEY, word INTEGER NOT NULL, model INTEGER NOT NULL,
  query INTEGER NOT NULL, made INTEGER NOT NULL, news INTEGER NOT NULL, due INTEGER,
  state INTEGER NOT NULL CHECK(state BETWEEN 0 AND 2), seen INTEGER CHECK(seen >= 0),
  id TEXT CHECK(id <> ''), page BLOB NOT NULL, clicks BLOB, contribution BLOB, events BLOB) STRICT;
CREATE INDEX impression_due ON impression(due) WHERE due IS NOT NULL;
CREATE INDEX impression_of_query ON impression(query);
CREATE TABLE named(model INTEGER NOT NULL, id TEXT NOT NULL, number INTEGER NOT NULL,
  body BLOB NOT NULL, answer BLOB NOT NULL, PRIMARY KEY(model, id)) STRICT, WITHOUT ROWID;
CREATE TABLE event(model INTEGER NOT NULL, id TEXT NOT NULL, hash BLOB NOT NULL,
  PRIMARY KEY(model, id)) STRICT, WITHOUT ROWID;
CREATE TABLE held(number INTEGER PRIMARY KEY, model INTEGER NOT NULL, impression TEXT NOT NULL,
  caller TEXT NOT NULL, until INTEGER NOT NULL, item TEXT NOT NULL, body BLOB NOT NULL) STRICT;
CREATE INDEX held_of_impression ON held(model, impression);
)";

void create(const std::filesystem::path& file) {
  std::filesystem::path unfinished = file;
  unfinished += ".new";
  std::filesystem::remove(unfinished);
  {
    Database database(unfinished.string(), Database::Mode::kCreate);
    database.execute("PRAGMA synchronous=EXTRA");
    database.execute("BEGIN IMMEDIATE");
    create_tables(database);
    database.execute(fmt::format("PRAGMA application_id={}", kApplicationId).c_str());
    database.execute(fmt::format("PRAGMA user_version={}", kLayoutVersion).c_str());
    database.execute("COMMIT");
  }
  std::filesystem::rename(unfinished, file);
}

void configure(Database& database) {
  database.execute("PRAGMA journal_mode=WAL");
  database.execute("PRAGMA synchronous=FULL");
  database.execute("PRAGMA wal_autocheckpoint=0");  // checkpoints.h
  database.execute("PRAGMA secure_delete=ON");
  database.execute("PRAGMA cache_size=-65536");
  // Longer than a log gets before it begins anew (checkpoints.cpp): one that is not cut is written
  // over, which is quicker than to append.
  database.execute("PRAGMA journal_size_limit=134217728");
}

}  // namespace

void create_tables(Database& database) { database.execute(kTables); }

std::filesystem::path database_file(const std::filesystem::path& data) {
  return data / "dcmrank.db";
}

std::uint64_t note_start(Database& database) {
  database.execute(
      "INSERT INTO meta(name, value) VALUES('starts', 1) ON CONFLICT(name) DO UPDATE SET value = "
      "value + 1");
  return static_cast<std::uint64_t>(
      database.number("SELECT value FROM meta WHERE name = 'starts'"));
}

FolderLock::FolderLock(const std::filesystem::path& data, const char* option) {
  std::error_code error;
  std::filesystem::create_directories(data, error);
  const std::filesystem::path file = data / "lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {
    throw InputError(fmt::format("{} {}: cannot write to it: {}", option, data.string(),
                                 told_with_owner(errno, file)));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw InputError(
        fmt::format("{} {}: another dcmrank serve uses this folder", option, data.string()));
  }
}

FolderLock::~FolderLock() { ::close(descriptor_); }

// Through SQLite, and never by opening the file: closing it again would drop all locks that this
// process holds on it, and others would take the log of a running service for one that nobody uses.
int check_database_file(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{} {}; it is left unchanged", file.string(), why));
  };
  std::int64_t application = 0;
  std::int64_t version = 0;
  std::string trouble;
  bool was_read = true;
  // Without locks first: a foreign database gets nothing beside it. Of ours, another process may be
  // writing just now; with locks it is whole.
  for (const auto mode : {Database::Mode::kLook, Database::Mode::kRead}) {
    try {
      Database database(file.string(), mode);
      application = database.number("PRAGMA application_id");
      version = database.number("PRAGMA user_version");
      was_read = true;
      break;
    } catch (const CannotRead& error) {
      trouble = error.what();
      was_read = false;
    } catch (const std::runtime_error& error) {  // what is no database has no such number
      trouble = error.what();
      was_read = true;
    }
  }
  // As SQLite says of a database whose pages are not all there.
  if (application == 0 && trouble.find("malformed") != std::string::npos) {
    refuse(
        "is a damaged database, or only the beginning of one, such as a copy that was cut short");
  }
  if (!was_read) refuse("cannot be read: " + trouble);  // so nobody knows what it is
  if (application != kApplicationId) refuse("is not a dcmrank database");
  if (version < 1 || version > kLayoutVersion) {
    refuse(fmt::format("has layout version {}; this dcmrank knows versions up to {}", version,
                       kLayoutVersion));
  }
  return static_cast<int>(version);
}

Database open_database(const std::filesystem::path& data, int* migrated) {
  const std::filesystem::path file = database_file(data);
  if (!is_there(file, Access::kWrite)) create(file);
  check_database_file(file);
  try {
    Database database(file.string(), Database::Mode::kWrite);
    database.number("SELECT count(*) FROM sqlite_schema");
    configure(database);
    const auto version = static_cast<int>(database.number("PRAGMA user_version"));
    if (version != kLayoutVersion) {
      migrate(database);
      if (migrated != nullptr) *migrated = version;
    }
    return database;
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("{} cannot be opened: {}", file.string(), error.what()));
  }
}

Database open_reader(const std::filesystem::path& data) {
  const std::filesystem::path file = database_file(data);
  if (!is_there(file, Access::kRead)) {
    throw InputError(fmt::format("{} does not exist", file.string()));
  }
  check_database_file(file);
  Database database(file.string(), Database::Mode::kRead);
  database.execute("PRAGMA cache_size=-8192");
  return database;
}

}  // namespace dcmrank::service
