#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "dcmrank/service/journal.h"
#include "dcmrank/service/queue_bytes.h"
#include "dcmrank/service/teacher.h"

namespace dcmrank::service {

/// Events of one request. `done` is called once, on the writer's thread, when they are durable or
/// could not be made so (`results` is empty then).
struct Feedback {
  std::vector<Event> events;
  Caller caller;
  std::function<void(std::vector<EventResult> results, const std::string& failure)> done;

  std::size_t bytes() const;

  std::vector<std::optional<EventResult>> results{};  // those that are durable, so far
};

/// A list on its way to the store. `done`, where there is one, is called once when it is durable or
/// could not be made so (`failure` says why then).
struct Shown {
  NewImpression impression;
  std::string caller;
  std::function<void(const std::string& failure)> done;

  enum class Fate { kWaits, kStored, kRefused };
  Fate fate = Fate::kWaits;
};

/// Other work for the writer: runs in a transaction of its own, perhaps several times; `done` as
/// above, with what it threw.
struct Job {
  std::function<void(Teacher&)> work;
  std::function<void(std::exception_ptr)> done;
};

/// The one thread that writes. What arrives while a transaction is on its way to the disk makes up
/// the next one (group commit). Lists alone wait a little for company, and are stored bit by bit,
/// so that those who rank get the processor in between; events never wait.
class Writer {
 public:
  Writer(std::unique_ptr<StoreWriter> store, QueryCache& cache, const Models& models,
         const Clock& clock, const Lifetimes& lifetimes, const Limits& limits, Metrics& metrics,
         Journal& journal);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  Writer(Writer&&) = delete;
  Writer& operator=(Writer&&) = delete;

  /// `settled` is called for every impression once it is durable or given up. Call before start.
  void on_settled(std::function<void(const NewImpression&)> settled) {
    settled_ = std::move(settled);
  }
  /// `erased` is called when a model that was erased bit by bit is gone. Call before start.
  void on_erased(std::function<void()> erased) { erased_ = std::move(erased); }
  /// `taught` is called when so many pages of a model have taught it. Call before start.
  void on_taught(std::function<void(std::int64_t model, std::uint64_t pages)> taught) {
    teacher_.on_taught(std::move(taught));
  }
  /// `sweep` is called from time to time, on the writer's thread. Call before start.
  void on_sweep(std::function<void()> sweep) { swept_ = std::move(sweep); }
  /// The store is shared with other processes: `refresh` is called about once a second, on the
  /// writer's thread. Call before start.
  void on_refresh(const Store& store, std::function<void()> refresh) {
    shared_ = &store;
    refresh_ = std::move(refresh);
    company_ = {std::chrono::milliseconds(100), 8000};
    teacher_.share();
  }
  void start();

  /// False where too much waits already, of all or of this caller.
  bool offer(Shown shown);
  bool offer(Feedback& feedback);
  /// Whether this would be taken if nothing else waited.
  bool could_take(const Feedback& feedback) const;
  bool could_take(const Shown& shown) const;
  bool offer(Job job);

  /// Commits all that was offered, then ends the thread.
  void stop();

  /// Why the last transaction failed; empty where it did not.
  std::string trouble() const;

 private:
  struct Batch {
    std::vector<Shown> lists;
    std::vector<Feedback> feedback;
    std::vector<Job> jobs;
    bool empty() const { return lists.empty() && feedback.empty() && jobs.empty(); }
  };

  void run();
  bool is_stopping() const;
  void finish_erasing();
  Batch next();
  void process(Batch batch);
  bool attempt(std::span<Shown> lists, std::span<Feedback* const> feedback);
  bool attempt_once(std::span<Shown> lists, std::span<Feedback* const> feedback, Buckets& failed);
  bool transact(const std::function<void()>& work, Buckets& failed);
  bool rest(std::chrono::microseconds time);
  // So many wait that the writer does not keep up.
  bool behind() const { return waiting_.lists.size() >= 2 * company_.crowd; }
  void settle(const Shown& shown, const std::string& failure) const;
  static bool answer(Feedback& feedback);
  void refresh();
  void attempt_each(Batch& batch);
  void attempt_events(Feedback& feedback);
  void run_job(Job& job);
  void sweep();
  void fail(const std::string& why);
  void roll_back();
  void keep_for_later(std::vector<Shown> lists, std::map<std::string, std::size_t>& settled,
                      const std::string& why);

  std::unique_ptr<StoreWriter> store_;
  const Clock* clock_;
  Metrics* metrics_;
  Journal* journal_;
  Teacher teacher_;
  std::function<void(const NewImpression&)> settled_;
  std::function<void()> erased_;
  std::function<void()> swept_;
  // How long lists alone wait for more, unless they are so many. A store that is far away wants
  // fewer and larger batches.
  struct Company {
    std::chrono::milliseconds time{25};
    std::size_t crowd = 4000;
  };
  Company company_;
  const Store* shared_ = nullptr;
  std::function<void()> refresh_;
  std::chrono::steady_clock::time_point last_refresh_{};

  mutable std::mutex mutex_;
  std::condition_variable ready_;
  Batch waiting_;
  QueueBytes list_bytes_;  // of lists and of events that wait, or are on their way to the disk
  QueueBytes event_bytes_;
  bool urgent_ = false;  // something waits that somebody waits for
  bool stopping_ = false;
  std::string trouble_;
  bool storage_failed_ = false;  // of the last attempt; the writer's thread only
  bool hurried_ = false;         // the present batch is to be stored in one go; likewise
  bool sweep_again_ = false;
  bool erasing_ = false;
  Time last_sweep_ = 0;
  std::thread thread_;
};

}  // namespace dcmrank::service
