#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dcmrank/libpq/session.h"

namespace dcmrank::service {

/// Connections to one database, at most so many. While it is away, only one try a second is made:
/// all others fail at once, so that nobody who ranks waits for it. Any thread.
class PgPool {
 public:
  /// `patience`: how long a reader waits for a connection, and for each answer.
  PgPool(std::string uri, std::size_t most, PgSession::Patience patience)
      : uri_(std::move(uri)), most_(most), patience_(patience) {}

  /// A connection, given back with the lease.
  class Lease {
   public:
    Lease(PgPool& pool, std::unique_ptr<PgSession> session)
        : pool_(&pool), session_(std::move(session)) {}
    ~Lease() {
      if (session_) pool_->give(std::move(session_));
    }
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    PgSession& operator*() const { return *session_; }
    PgSession* operator->() const { return session_.get(); }

   private:
    PgPool* pool_;
    std::unique_ptr<PgSession> session_;
  };

  /// Throws StorageError where none is to be had.
  Lease lease();

  /// A connection of one's own, which does not count.
  std::unique_ptr<PgSession> open(PgSession::Patience patience);

  /// How often a connection broke.
  std::uint64_t breaks() const { return breaks_; }
  void note_break() { ++breaks_; }
  const std::string& uri() const { return uri_; }

 private:
  void give(std::unique_ptr<PgSession> session);
  void note_trouble(const Reason& trouble);
  void refuse_for_some_time();

  std::string uri_;
  std::size_t most_;
  PgSession::Patience patience_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::vector<std::unique_ptr<PgSession>> idle_;
  std::size_t open_ = 0;
  std::atomic<std::uint64_t> breaks_ = 0;
  std::mutex trying_;
  std::chrono::steady_clock::time_point again_{};
  Reason trouble_;
  std::atomic<bool> away_ = false;
};

}  // namespace dcmrank::service
