#include "dcmrank/store/checkpoints.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <sqlite3.h>

#include "dcmrank/store/layout.h"
#include "dcmrank/store/room.h"
#include "dcmrank/store/trickle.h"

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;
// Pages of 4 KiB.
constexpr int kSome = 4000;      // worth moving
constexpr int kLong = 16000;     // a log that is to begin anew
constexpr int kTooLong = 20000;  // it grows faster than it is moved bit by bit
constexpr int kRest = 200;       // what the writer may move: a millisecond
constexpr int kLargeRest = 500;  // likewise, where the log is too long
constexpr int kTries = 8;        // until what is left is that little
constexpr int kPatience = 100;   // milliseconds for which the writer may be kept waiting
constexpr std::uint64_t kPage = 4096;
constexpr int kShortest = 256;      // a log on a disk that is nearly full
constexpr std::uint64_t kPart = 4;  // of the room that is free: a log has at most so much of it

std::uint64_t bytes_of(int pages) { return kPage * static_cast<std::uint64_t>(std::max(0, pages)); }

sqlite3_file* file_of(const Database& database, int which) {
  sqlite3_file* file = nullptr;
  const int status = sqlite3_file_control(database.handle(), "main", which, &file);
  return status == SQLITE_OK && file != nullptr && file->pMethods != nullptr ? file : nullptr;
}

// Up to where the log is committed, by its index, which is laid out as SQLite documents
// (fileformat2.html, "The WAL-Index File Format"); nobody may be writing. Only through SQLite: who
// opens a file of the database and closes it drops all its locks.
std::optional<std::uint64_t> committed_log(const Database& writer) {
  constexpr std::size_t kVersion = 0;
  constexpr std::size_t kPageSize = 14;
  constexpr std::size_t kFrames = 16;
  constexpr std::size_t kHeader = 48;  // is there twice
  constexpr std::uint32_t kKnown = 3007000;
  constexpr int kRegion = 32768;
  constexpr std::uint64_t kLogHeader = 32;
  constexpr std::uint64_t kFrameHeader = 24;
  sqlite3_file* file = file_of(writer, SQLITE_FCNTL_FILE_POINTER);
  if (file == nullptr || file->pMethods->iVersion < 2) return std::nullopt;
  void volatile* mapped = nullptr;
  if (file->pMethods->xShmMap(file, 0, kRegion, 0, &mapped) != SQLITE_OK || mapped == nullptr) {
    return std::nullopt;
  }
  std::array<char, 2 * kHeader> index{};
  for (std::size_t n = 0; n < index.size(); ++n) {
    index[n] = static_cast<const volatile char*>(mapped)[n];
  }
  std::uint32_t version = 0;
  std::uint16_t page_size = 0;
  std::uint32_t frames = 0;
  std::memcpy(&version, index.data() + kVersion, sizeof version);
  std::memcpy(&page_size, index.data() + kPageSize, sizeof page_size);
  std::memcpy(&frames, index.data() + kFrames, sizeof frames);
  const bool whole = std::equal(index.begin(), index.begin() + kHeader, index.begin() + kHeader);
  if (!whole || version != kKnown || page_size != kPage) return std::nullopt;
  return frames == 0 ? 0 : kLogHeader + frames * (kFrameHeader + kPage);
}

}  // namespace

Checkpoints::Checkpoints(const std::filesystem::path& data)
    : data_(data), database_(open_database(data)) {
  sqlite3_busy_timeout(database_.handle(), kPatience);
  thread_ = std::thread([this] { run(); });
}

Checkpoints::~Checkpoints() {
  {
    const std::lock_guard lock(waiting_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Checkpoints::watch(Database& writer, std::chrono::milliseconds patience) {
  patience_ = patience;
  sqlite3_busy_handler(writer.handle(), wait_for_others, this);
  sqlite3_wal_hook(
      writer.handle(),
      [](void* pages, sqlite3*, const char*, int count) {
        static_cast<std::atomic<int>*>(pages)->store(count, std::memory_order_relaxed);
        return SQLITE_OK;
      },
      &pages_);
}

// Called by SQLite on the writer's thread, again and again while the database is held.
int Checkpoints::wait_for_others(void* self, int tries) {
  auto& checkpoints = *static_cast<Checkpoints*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (tries == 0 || checkpoints.wiping_) checkpoints.waits_from_ = now;
  if (now - checkpoints.waits_from_ > checkpoints.patience_) return 0;
  std::this_thread::sleep_for(1ms);
  return 1;
}

void Checkpoints::committed(Database& writer) {
  if (!finish_.exchange(false)) return;
  // A failure here loses nothing: the log keeps what was not moved.
  sqlite3_wal_checkpoint_v2(writer.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

void Checkpoints::run() {
  std::unique_lock lock(waiting_);
  while (!stopping_) {
    wake_.wait_for(lock, 100ms, [&] { return stopping_; });
    if (!is_worth_moving(pages_.load(std::memory_order_relaxed))) continue;
    lock.unlock();
    move();
    lock.lock();
  }
}

// What is moved may need as much room again.
int Checkpoints::longest() const {
  const std::uint64_t pages = room_of(data_).free / kPart / kPage;
  return static_cast<int>(std::clamp<std::uint64_t>(pages, kShortest, kLong));
}

// Whenever something is moved, the log and the file are synced: not for a few pages.
bool Checkpoints::is_worth_moving(int pages) {
  if (pages < synced_) synced_ = 0;  // another log
  if (pages - synced_ >= kSome || pages >= kLong) return true;
  return pages >= kShortest && pages >= longest();
}

// The log and what it was moved to stay smaller than the disk by the reserve.
void Checkpoints::make_room(Database& writer) {
  DiskRoom room = room_of(data_);
  if (room.free >= bytes_of(pages_) + room.reserve) return;
  const std::lock_guard lock(mutex_);
  shorten(writer);
  int in_log = 0;
  int moved = 0;
  const int status = sqlite3_wal_checkpoint_v2(writer.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                               &in_log, &moved);
  const int left = status == SQLITE_OK ? in_log - moved : pages_.load();
  if (status == SQLITE_OK && left <= 0) {  // nobody is waited for who reads
    sqlite3_busy_handler(writer.handle(), nullptr, nullptr);
    if (sqlite3_wal_checkpoint_v2(writer.handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                                  nullptr) == SQLITE_OK) {
      pages_ = 0;
      synced_ = 0;
    }
    sqlite3_busy_handler(writer.handle(), wait_for_others, this);
  }
  room = room_of(data_);
  const std::uint64_t wanted = bytes_of(left) + room.reserve;
  if (room.free >= wanted) return;
  constexpr double kMebibyte = 1 << 20U;
  throw StorageError(
      Reason{fmt::format("the disk is full: {:.1f} MiB are free, and {:.1f} are kept "
                         "so that the log can be moved to the database",
                         static_cast<double>(room.free) / kMebibyte,
                         static_cast<double>(wanted) / kMebibyte),
             "the disk is full"});
}

// A transaction that failed for want of room leaves what it wrote behind what was committed.
void Checkpoints::shorten(Database& writer) {
  sqlite3_file* log = file_of(writer, SQLITE_FCNTL_JOURNAL_POINTER);
  if (log == nullptr || log->pMethods->xFileSize == nullptr ||
      sqlite3_exec(writer.handle(), "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK) {
    return;
  }
  sqlite3_int64 size = 0;
  const auto committed = committed_log(writer);
  if (committed && log->pMethods->xFileSize(log, &size) == SQLITE_OK &&
      static_cast<std::uint64_t>(size) > *committed) {
    log->pMethods->xTruncate(log, static_cast<sqlite3_int64>(*committed));
  }
  sqlite3_exec(writer.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Checkpoints::move() {
  const std::lock_guard lock(mutex_);
  const int longest = this->longest();
  int moved_before = -1;
  for (int tries = 0; tries < kTries; ++tries) {
    int in_log = 0;
    int moved = 0;
    std::optional<Trickle> trickle;
    const bool at_leisure = pages_ < std::min(kTooLong, longest + longest / 4);
    if (at_leisure) trickle.emplace();
    if (sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &in_log,
                                  &moved) != SQLITE_OK ||
        !sync_file(moved, in_log >= longest)) {
      return;  // it is tried again; what fails for the writer, too, is told by the writer
    }
    const int rest = pages_.load() - moved;
    if (rest <= 0) pages_ = 0;
    if (in_log < longest || rest <= 0) return;
    const bool little = rest < (at_leisure ? kRest : kLargeRest);
    if (little) finish_ = true;
    if (little || moved == moved_before) return;  // a reader keeps it from going on
    moved_before = moved;
  }
}

// SQLite does so only once nothing is left to be moved, which is when the writer moves the rest:
// it would wait for all that was moved since the log began.
bool Checkpoints::sync_file(int moved, bool now) {
  if (moved < synced_) synced_ = 0;  // another log
  if (!now && moved - synced_ < kSome) return true;
  synced_ = moved;
  sqlite3_file* file = nullptr;
  return sqlite3_file_control(database_.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file) ==
             SQLITE_OK &&
         file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK;
}

// Where somebody else keeps it from that, it is tried again.
bool Checkpoints::execute(const std::string& sql) {
  return done(sqlite3_exec(database_.handle(), sql.c_str(), nullptr, nullptr, nullptr));
}

bool Checkpoints::done(int status) const {
  if (status == SQLITE_OK) return true;
  const int kind = status & 0xFF;
  if (kind != SQLITE_BUSY && kind != SQLITE_LOCKED) database_.fail("wiping");
  return false;
}

bool Checkpoints::write_file_anew() {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(database_file(data_), unknown);
  const DiskRoom room = room_of(data_);  // the log is going to hold all of the file
  if (!unknown && room.free < size + room.reserve) {
    throw StorageError("the disk has no room to write the database anew");
  }
  return execute("VACUUM");
}

// All pages of its table are freed, and zeros written over them.
bool Checkpoints::write_held_anew() {
  sqlite3* const handle = database_.handle();
  const auto end = [](sqlite3* of) {  // what does not apply fails, and changes nothing
    sqlite3_exec(of, "ROLLBACK", nullptr, nullptr, nullptr);
    sqlite3_exec(of, "DETACH kept", nullptr, nullptr, nullptr);
  };
  const std::unique_ptr<sqlite3, decltype(end)> ended(handle, end);
  return execute(
      "ATTACH ':memory:' AS kept; BEGIN IMMEDIATE; CREATE TABLE kept.held AS SELECT * FROM "
      "main.held; DELETE FROM main.held; INSERT INTO main.held SELECT * FROM kept.held ORDER BY "
      "number; COMMIT");
}

Store::Wiped Checkpoints::wipe() {
  using Wiped = Store::Wiped;
  const std::lock_guard lock(mutex_);
  wiping_ = true;
  const std::unique_ptr<std::atomic<bool>, void (*)(std::atomic<bool>*)> wiping(
      &wiping_, [](std::atomic<bool>* flag) { *flag = false; });
  if (!written_anew_) {
    erased_ = database_.number("SELECT value FROM meta WHERE name = 'to_wipe'");
    held_gone_ = database_.number("SELECT value FROM meta WHERE name = 'held_gone'");
    if (erased_ == 0 && held_gone_ == 0) return Wiped::kNothing;
    // The rest of it would be left, and the file written anew once more for that.
    if (database_.number("SELECT count(*) FROM model WHERE name IS NULL") > 0) {
      return Wiped::kNotYet;
    }
    if (!(erased_ > 0 ? write_file_anew() : write_held_anew())) return Wiped::kNotYet;
    written_anew_ = true;
  }
  if (!done(sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE,
                                      nullptr, nullptr))) {
    return Wiped::kNotYet;
  }
  // Not where more was erased meanwhile.
  if (!execute(fmt::format("DELETE FROM meta WHERE (name = 'to_wipe' AND value = {}) OR "
                           "(name = 'held_gone' AND value = {})",
                           erased_, held_gone_))) {
    return Wiped::kNotYet;
  }
  written_anew_ = false;
  const auto left = database_.number("SELECT count(*) FROM meta WHERE name = 'to_wipe'");
  return left == 0 ? Wiped::kAll : Wiped::kNotYet;
}

}  // namespace dcmrank::service
