#include "dcmrank/store/checkpoints.h"

#include <memory>
#include <optional>

#include <fmt/format.h>
#include <sqlite3.h>

#include "dcmrank/store/layout.h"
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

}  // namespace

Checkpoints::Checkpoints(const std::filesystem::path& data) : database_(open_database(data)) {
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

// Whenever something is moved, the log and the file are synced: not for a few pages.
bool Checkpoints::is_worth_moving(int pages) {
  if (pages < synced_) synced_ = 0;  // another log
  return pages - synced_ >= kSome || pages >= kLong;
}

void Checkpoints::move() {
  const std::lock_guard lock(mutex_);
  int moved_before = -1;
  for (int tries = 0; tries < kTries; ++tries) {
    int in_log = 0;
    int moved = 0;
    std::optional<Trickle> trickle;
    const bool at_leisure = pages_ < kTooLong;
    if (at_leisure) trickle.emplace();
    if (sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &in_log,
                                  &moved) != SQLITE_OK ||
        !sync_file(moved, in_log >= kLong)) {
      return;  // it is tried again; what fails for the writer, too, is told by the writer
    }
    const int rest = pages_.load() - moved;
    if (rest <= 0) pages_ = 0;
    if (in_log < kLong || rest <= 0) return;
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

bool Checkpoints::wipe() {
  const std::lock_guard lock(mutex_);
  wiping_ = true;
  const std::unique_ptr<std::atomic<bool>, void (*)(std::atomic<bool>*)> wiping(
      &wiping_, [](std::atomic<bool>* flag) { *flag = false; });
  const auto done = [&](int status) {
    if (status == SQLITE_OK) return true;
    const int kind = status & 0xFF;
    if (kind != SQLITE_BUSY && kind != SQLITE_LOCKED) database_.fail("wiping");
    return false;
  };
  const auto execute = [&](const std::string& sql) {
    return done(sqlite3_exec(database_.handle(), sql.c_str(), nullptr, nullptr, nullptr));
  };
  if (!written_anew_) {
    erased_ = database_.number("SELECT value FROM meta WHERE name = 'to_wipe'");
    if (!execute("VACUUM")) return false;
    written_anew_ = true;
  }
  if (!done(sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE,
                                      nullptr, nullptr))) {
    return false;
  }
  // Not where more was erased meanwhile.
  if (!execute(fmt::format("DELETE FROM meta WHERE name = 'to_wipe' AND value = {}", erased_))) {
    return false;
  }
  written_anew_ = false;
  return true;
}

}  // namespace dcmrank::service
