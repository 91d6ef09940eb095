#include "dcmrank/store/sqlite_store.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/store/checkpoints.h"
#include "dcmrank/store/files.h"
#include "dcmrank/store/layout.h"
#include "dcmrank/store/sqlite_writer.h"

namespace dcmrank::service {
namespace {

class SqliteStore final : public Store {
 public:
  SqliteStore(const std::filesystem::path& data, const char* option)
      : data_(data),
        lock_(data, option),
        database_(open_database(data, &migrated_)),
        checkpoints_(data),
        files_({database_file(data), data / "lock", data / "dcmrank.db-wal"}) {}

  std::unique_ptr<StoreReader> reader() override { return open_sqlite_reader(data_); }

  std::unique_ptr<StoreWriter> writer() override {
    Database database = open_database(data_);
    checkpoints_.watch(database);
    return std::make_unique<SqliteWriter>(
        std::move(database), [this](Database& writer) { checkpoints_.make_room(writer); },
        [this] { files_.check(); }, [this](Database& writer) { checkpoints_.committed(writer); });
  }

  bool is_unused() override {
    return database_.number("SELECT count(*) FROM meta WHERE name = 'starts'") == 0;
  }

  std::uint64_t begin_start() override {
    try {
      checkpoints_.make_room(database_);
    } catch (const StorageError&) {  // for the little that a start writes there is the reserve
    }
    database_.execute("BEGIN IMMEDIATE");
    const std::uint64_t start = note_start(database_);
    database_.execute("COMMIT");
    return start;
  }

  Time now() override {
    using std::chrono::milliseconds;
    const auto wall = std::chrono::duration_cast<milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    return std::max<Time>(wall.count(), last_list());
  }

  Time last_time() override {
    return std::max<Time>(last_list(),
                          database_.number("SELECT used FROM query ORDER BY id DESC LIMIT 1"));
  }

  Time doubted_until() override {
    return database_.number("SELECT value FROM meta WHERE name = 'doubted_until'");
  }

  void doubt_until(Time time) override {
    Statement(database_,
              "INSERT INTO meta(name, value) VALUES('doubted_until', ?) ON CONFLICT(name) DO "
              "UPDATE SET value = excluded.value")
        .run(time);
  }

  void check_place() const override { files_.check(); }

  std::uint64_t bytes() const override {
    std::error_code error;
    const auto size = std::filesystem::file_size(database_file(data_), error);
    return error ? 0 : size;
  }

  Wiped wipe() override { return checkpoints_.wipe(); }

  bool must_wipe() override {
    return database_.number("SELECT count(*) FROM meta WHERE name IN ('to_wipe', 'held_gone')") > 0;
  }

  std::string migrated() const override {
    return migrated_ == 0 ? "" : fmt::format("layout {} became {}", migrated_, kLayoutVersion);
  }

 private:
  Time last_list() {
    return database_.number("SELECT max(made, news) FROM impression ORDER BY number DESC LIMIT 1");
  }

  std::filesystem::path data_;
  FolderLock lock_;
  int migrated_ = 0;
  Database database_;
  Checkpoints checkpoints_;
  SameFiles files_;
};

// A server that writes to a file which was replaced loses all that it writes. Links are followed,
// as AtomicFile does; the database may be one, too.
void check_outside(const std::filesystem::path& data, const std::filesystem::path& out) {
  const auto target = std::filesystem::weakly_canonical(std::filesystem::absolute(out));
  const std::string database = std::filesystem::canonical(database_file(data)).string();
  const bool inside = target.parent_path() == std::filesystem::canonical(data);
  const bool its_file = target == database || target == database + "-wal" ||
                        target == database + "-shm" || target == database + "-journal";
  if (!inside && !its_file) return;
  throw InputError(fmt::format(
      "--out {}: is among the files of the service that is copied; give a place outside {}",
      out.string(), data.string()));
}

}  // namespace

std::unique_ptr<Store> open_sqlite_store(const std::filesystem::path& data, const char* option) {
  return std::make_unique<SqliteStore>(data, option);
}

std::unique_ptr<StoreReader> open_sqlite_reader(const std::filesystem::path& data) {
  Database database = open_reader(data);
  if (const auto version = database.number("PRAGMA user_version"); version != kLayoutVersion) {
    throw InputError(fmt::format("{} has layout version {}; dcmrank serve brings it to {}",
                                 database_file(data).string(), version, kLayoutVersion));
  }
  return std::make_unique<SqliteReads<StoreReader>>(std::move(database));
}

void backup_sqlite(const std::filesystem::path& data, const std::filesystem::path& out) {
  Database source = open_reader(data);
  check_outside(data, out);
  // A pipe would be waited for, until somebody reads it.
  const auto there = std::filesystem::status(out);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    throw InputError(fmt::format("--out {} is not a regular file", out.string()));
  }
  AtomicFile file(out, AtomicFile::Readers::kOwner);  // its journal gets the same
  {
    Database target(file.temporary().string(), Database::Mode::kCreate);
    sqlite3_backup* copy = sqlite3_backup_init(target.handle(), "main", source.handle(), "main");
    if (copy == nullptr) target.fail("backup");
    sqlite3_backup_step(copy, -1);
    if (sqlite3_backup_finish(copy) != SQLITE_OK) target.fail("backup");
    target.execute("PRAGMA journal_mode=DELETE");
  }
  file.commit();
}

}  // namespace dcmrank::service
