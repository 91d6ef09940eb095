#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dcmrank/service/teacher.h"

namespace dcmrank::service {

/// Events of one request. `done` is called once, on the writer's thread, when they are durable or
/// could not be made so (`results` is empty then).
struct Feedback {
  std::vector<Event> events;
  std::string model;  // the one that the caller may report to; empty: any
  std::function<void(std::vector<EventResult> results, const std::string& failure)> done;
};

/// Other work for the writer: runs in a transaction of its own; `done` as above, with what it
/// threw.
struct Job {
  std::function<void(Teacher&)> work;
  std::function<void(std::exception_ptr)> done;
};

/// The one thread that writes. What arrives while a transaction is on its way to the disk makes up
/// the next one (group commit). Lists alone wait a little for company; events never do.
class Writer {
 public:
  Writer(Database database, QueryCache& cache, const Models& models, const Clock& clock,
         const Lifetimes& lifetimes, const Limits& limits, Metrics& metrics);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  Writer(Writer&&) = delete;
  Writer& operator=(Writer&&) = delete;

  /// `committed` is called for every impression once it is durable or given up. Call before start.
  void on_settled(std::function<void(const NewImpression&)> settled) {
    settled_ = std::move(settled);
  }
  void start();

  /// False where too much waits already.
  bool offer(NewImpression impression);
  bool offer(Feedback& feedback);
  bool offer(Job job);

  /// Commits all that was offered, then ends the thread.
  void stop();

  /// Why the last transaction failed; empty where it did not.
  std::string trouble() const;

 private:
  struct Batch {
    std::vector<NewImpression> impressions;
    std::vector<Feedback> feedback;
    std::vector<Job> jobs;
    std::size_t events = 0;
    bool empty() const { return impressions.empty() && feedback.empty() && jobs.empty(); }
  };

  void run();
  Batch next();
  void process(Batch batch);
  bool attempt(const std::vector<NewImpression>& impressions, std::vector<Feedback*> feedback);
  void attempt_each(Batch& batch);
  void run_job(Job& job);
  void sweep();
  void fail(const std::string& why);
  void roll_back();
  void keep_for_later(std::vector<NewImpression> impressions);

  Database database_;
  const Clock* clock_;
  Limits limits_;
  Metrics* metrics_;
  Teacher teacher_;
  std::function<void(const NewImpression&)> settled_;

  mutable std::mutex mutex_;
  std::condition_variable ready_;
  Batch waiting_;
  bool stopping_ = false;
  std::string trouble_;
  bool storage_failed_ = false;  // of the last attempt; the writer's thread only
  bool sweep_again_ = false;
  Time last_sweep_ = 0;
  std::thread thread_;
};

}  // namespace dcmrank::service
