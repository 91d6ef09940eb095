#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "dcmrank/http/kept_request.h"
#include "dcmrank/http/server.h"

namespace dcmrank::service {

/// A request that cannot be answered without asking the store.
struct Ask {
  KeptRequest request;
  Ticket ticket;
  std::chrono::steady_clock::time_point since;  // when it came
  bool is_quick = true;                         // an answer comes at once, where one comes
};

/// Threads that ask a store that is far away, and may be silent, for those who serve: these go on
/// meanwhile. Where those that ask get no answer, others do without, and one at a time finds out
/// whether it answers again. Any thread.
class Askers {
 public:
  using Clock = std::chrono::steady_clock;
  /// Answers a request; `silent`: the store has given no answer while the request waited for its
  /// turn, and is not to be asked. Whether the store gave an answer, however late.
  using Answer = std::function<bool(const Ask& ask, bool silent)>;
  using Now = std::function<Clock::time_point()>;

  /// `make` is called by each thread, for itself. `patience`: how long nobody may have got an
  /// answer until the store counts as silent, by the time that `now` tells.
  Askers(std::size_t threads, const std::function<Answer()>& make,
         std::chrono::milliseconds patience = std::chrono::milliseconds(1000),
         Now now = Clock::now);
  ~Askers() { stop(); }
  Askers(const Askers&) = delete;
  Askers& operator=(const Askers&) = delete;
  Askers(Askers&&) = delete;
  Askers& operator=(Askers&&) = delete;

  /// False where the store is silent.
  bool offer(Ask ask);

  /// Answers what was offered, then ends.
  void stop();

 private:
  void run(const Answer& answer);
  bool is_silent(Clock::time_point now);

  struct Waiting {
    Ask ask;
    Clock::time_point came;
  };

  std::chrono::milliseconds patience_;
  Now now_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Waiting> waiting_;
  std::multiset<Clock::time_point> begun_;  // of those who ask now
  Clock::time_point answered_{};            // when somebody was last
  bool silent_ = false;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace dcmrank::service
