#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "dcmrank/store/sqlite.h"
#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// Moves what was committed from the log to the database file, on a thread of its own: the writer,
/// and whoever waits for it, does not wait for that. Once the log is long, the writer itself moves
/// the rest: the log can start over only while nobody writes. On a disk that has little room it
/// begins anew earlier, and nothing is written once the log could not be moved any more.
class Checkpoints {
 public:
  explicit Checkpoints(const std::filesystem::path& data);
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
  Checkpoints(Checkpoints&&) = delete;
  Checkpoints& operator=(Checkpoints&&) = delete;

  /// Learns from now on how long the log is after each commit. Where another process holds the
  /// database, the writer waits for it for `patience`; while the file is written anew, until it is.
  void watch(Database& writer, std::chrono::milliseconds patience = std::chrono::seconds(5));

  /// The writer is about to write. Throws StorageError where the disk has no room for that.
  void make_room(Database& writer);

  /// The writer has committed.
  void committed(Database& writer);

  /// Writes anew, without what was erased, the file, or the table of held events where only these
  /// have gone: SQLite leaves copies of what it moved in the gaps of pages. Then moves everything
  /// and cuts the log to nothing; not yet if somebody writes, a reader still needs it, a model is
  /// half erased, or more was erased meanwhile.
  Store::Wiped wipe();

 private:
  static int wait_for_others(void* self, int tries);
  void run();
  bool is_worth_moving(int pages);
  void move();
  int longest() const;
  static void shorten(Database& writer);
  bool sync_file(int moved, bool now);
  bool write_file_anew();
  bool write_held_anew();
  bool execute(const std::string& sql);
  bool done(int status) const;

  std::filesystem::path data_;
  Database database_;
  std::mutex mutex_;                  // guards database_
  std::atomic<int> pages_ = 0;        // in the log, as of the last commit
  std::atomic<bool> finish_ = false;  // the writer is to move the rest
  std::atomic<bool> wiping_ = false;
  std::chrono::milliseconds patience_{0};             // of the writer
  std::chrono::steady_clock::time_point waits_from_;  // the writer, for others than wipe()
  int synced_ = 0;                                    // of the pages that were moved
  bool written_anew_ = false;                         // since something was erased
  std::int64_t erased_ = 0;                           // how often something had been by then
  std::int64_t held_gone_ = 0;                        // likewise, held events had gone
  std::mutex waiting_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace dcmrank::service
