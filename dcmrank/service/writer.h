#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "dcmrank/service/backlog.h"
#include "dcmrank/service/journal.h"
#include "dcmrank/service/overdue.h"
#include "dcmrank/service/queue_bytes.h"
#include "dcmrank/service/work.h"

namespace dcmrank::service {

/// The one thread that writes. What arrives while a transaction is on its way to the disk makes up
/// the next one (group commit). Lists alone wait a little for company, and are stored bit by bit,
/// so that those who rank get the processor in between. Events wait for no lists but their own:
/// of others that came before them a transaction takes only some. Where the store is shared,
/// whoever waits for an answer gets one within 10 s, whatever the store does: what is stored after
/// all is a duplicate when it comes again.
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
  /// The store is shared with other processes: `refresh` is called about once a second, and
  /// `follow` where the models are to be those of the store, on the writer's thread. Call before
  /// start.
  void on_refresh(const Store& store, std::function<void()> refresh, std::function<void()> follow) {
    shared_ = &store;
    refresh_ = std::move(refresh);
    company_ = {std::chrono::milliseconds(100), 8000, 2000};
    teacher_.share(std::move(follow));
  }
  /// Until then nothing is removed for its age. Call before start.
  void keep_all_until(Time time) { teacher_.keep_all_until(time); }
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

  /// Why events cannot be stored; empty where they can.
  Reason trouble() const;

  /// Whether it has waited for a store that is shared for longer than that usually takes.
  bool waits_long() const;

  /// Whether a store that is shared has been silent for so long that it is not worth while to wait
  /// for what it would say. What is refused at once is an answer, too.
  bool hears_nothing() const;

 private:
  struct Batch {
    std::vector<Shown> lists;
    std::vector<Feedback> feedback;
    std::vector<Job> jobs;
    bool empty() const { return lists.empty() && feedback.empty() && jobs.empty(); }
    // Somebody waits for it.
    bool awaited() const;
  };

  void run();
  bool is_stopping() const;
  void finish_erasing();
  Batch next();
  void process(Batch batch);
  bool attempt(std::span<Shown> lists, std::span<Feedback* const> feedback);
  bool attempt_once(std::span<Shown> lists, std::span<Feedback* const> feedback, bool again,
                    Buckets& failed);
  bool transact(const std::function<void()>& work, Buckets& failed);
  void take_turn(bool starts);
  void watch();
  bool give_up(std::chrono::steady_clock::time_point start, std::chrono::milliseconds patience);
  bool rest(std::chrono::microseconds time);
  bool stop_adding();
  std::size_t share_of_lists(bool awaited) const;
  void run_jobs();
  // So many wait that the writer does not keep up.
  bool behind() const { return waiting_.lists.size() >= 2 * company_.crowd; }
  void settle(const Shown& shown, const Reason& failure) const;
  static bool answer(Feedback& feedback);
  void refresh();
  void attempt_each(Batch& batch);
  void attempt_events(Feedback& feedback);
  void run_job(Job& job);
  void sweep();
  void tell_of_trimmed(bool at_once);
  void note(const Reason& why);
  void fail(const Reason& why);
  void note_policy(const PolicyFault& fault);
  void roll_back();
  void keep_for_later(std::vector<Shown> lists, std::map<std::string, std::size_t>& settled,
                      const Reason& why);

  // A job runs when the lists that came before it are stored.
  struct Waiting {
    Backlog::Place after;
    Job job;
  };

  std::unique_ptr<StoreWriter> store_;
  const Clock* clock_;
  Metrics* metrics_;
  Journal* journal_;
  Teacher teacher_;
  std::function<void(const NewImpression&)> settled_;
  std::function<void()> erased_;
  std::function<void()> swept_;
  // How long lists alone wait for more, unless they are so many; no more are stored at once, and
  // beside events so many. A store that is far away wants fewer and larger batches.
  struct Company {
    std::chrono::milliseconds time{25};
    std::size_t crowd = 4000;
    std::size_t beside = 250;
  };
  Company company_;
  const Store* shared_ = nullptr;
  std::function<void()> refresh_;
  std::chrono::steady_clock::time_point last_refresh_{};

  mutable std::mutex mutex_;
  std::condition_variable ready_;
  Batch waiting_;
  std::size_t open_jobs_ = 0;  // that are not done
  QueueBytes list_bytes_;      // of lists and of events that wait, or are on their way to the disk
  QueueBytes event_bytes_;
  bool urgent_ = false;  // something waits that somebody waits for
  bool stopping_ = false;
  bool over_ = false;
  Reason trouble_;
  std::optional<std::chrono::steady_clock::time_point> turn_;  // when the present one started
  bool unanswered_ = false;      // the one before waited long, and in vain
  bool storage_failed_ = false;  // of the last attempt; the writer's thread only
  bool policy_failed_ = false;   // likewise
  bool hurried_ = false;         // the present batch is to be stored in one go; likewise
  bool yields_ = false;          // it may be cut short where somebody comes; likewise
  Backlog backlog_;              // likewise
  std::deque<Waiting> jobs_;     // likewise
  bool sweep_again_ = false;
  bool erasing_ = false;
  Time last_sweep_ = 0;
  std::uint64_t trimmed_ = 0;  // queries, since the last line
  std::optional<Time> told_of_trimmed_;
  Overdue overdue_;
  std::condition_variable ended_;
  std::thread thread_;
  std::thread watch_;
};

}  // namespace dcmrank::service
