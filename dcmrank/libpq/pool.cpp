#include "dcmrank/libpq/pool.h"

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
constexpr auto kPause = 500ms;  // between two tries to reach it

}  // namespace

std::unique_ptr<PgSession> PgPool::open(PgSession::Patience patience) {
  std::unique_lock trying(trying_, std::try_to_lock);
  if (!trying) {
    if (away_) {
      const std::lock_guard lock(mutex_);
      throw StorageError(trouble_);
    }
    trying.lock();
  }
  refuse_for_some_time();
  try {
    auto session = std::make_unique<PgSession>(uri_, patience);
    away_ = false;
    return session;
  } catch (const StorageError& error) {
    note_trouble(error.reason());
    throw;
  }
}

// For some time nobody else waits for the same.
void PgPool::note_trouble(const Reason& trouble) {
  const std::lock_guard lock(mutex_);
  away_ = true;
  trouble_ = trouble;
  again_ = steady_clock::now() + kPause;
}

void PgPool::refuse_for_some_time() {
  const std::lock_guard lock(mutex_);
  if (steady_clock::now() < again_) throw StorageError(trouble_);
}

PgPool::Lease PgPool::lease() {
  {
    std::unique_lock lock(mutex_);
    const bool free =
        free_.wait_for(lock, patience_, [&] { return !idle_.empty() || open_ < most_; });
    if (!free) throw StorageError("all connections to the database are in use");
    if (!idle_.empty()) {
      auto session = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(session)};
    }
    ++open_;
  }
  try {
    return {*this, open(patience_)};
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      --open_;
    }
    free_.notify_one();
    throw;
  }
}

void PgPool::give(std::unique_ptr<PgSession> session) {
  if (session->is_slow()) note_trouble(our_reason("the database does not answer"));
  {
    const std::lock_guard lock(mutex_);
    if (session->is_broken()) {
      ++breaks_;
      open_ -= 1 + idle_.size();
      idle_.clear();  // those to the same server are hardly better
    } else {
      idle_.push_back(std::move(session));
    }
  }
  free_.notify_all();
}

}  // namespace dcmrank::service
