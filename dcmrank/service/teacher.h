#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dcmrank/ledger/learner.h"
#include "dcmrank/ledger/model.h"
#include "dcmrank/service/cache.h"
#include "dcmrank/service/clock.h"
#include "dcmrank/service/metrics.h"
#include "dcmrank/service/options.h"
#include "dcmrank/store/readers.h"

namespace dcmrank::service {

/// A list that was just ranked, on its way to the database.
struct NewImpression {
  std::uint64_t number = 0;
  std::uint32_t word = 0;
  Time made = 0;
  std::shared_ptr<QueryEntry> query;
  std::string page;    // encoded
  std::string id;      // the caller's, with what is needed to answer it again:
  std::string body;    // a hash of the request
  std::string answer;  // and the answer
};

/// The one writer's transactions: records impressions and events, and lets impressions teach when
/// they close. What it changes in memory is changed back when the transaction fails: memory and
/// database never disagree for longer than one transaction. One thread.
class Teacher {
 public:
  Teacher(Database& database, QueryCache& cache, const Models& models, const Lifetimes& lifetimes,
          const Limits& limits, Metrics& metrics);

  void begin();
  /// Teaches what closed, writes everything, and makes it durable.
  void commit();
  void rollback();

  void add(const NewImpression& impression, Time now);

  /// `model` is the one that the caller may report to; empty: any.
  EventResult take(const Event& event, std::string_view model, Time now);

  /// Closes impressions whose time is up, drops held events and old impressions; bounded work.
  /// Whether there is more to do.
  bool sweep(Time now);
  /// A sweep failed, and was rolled back, though the disk did not fail. Whether the next one may
  /// find out which impression it was.
  bool sweep_failed();

  /// Writes something that does not matter, to see whether that is possible.
  void probe(Time now);

  void forget_query(const Model& model, std::string_view query, std::uint64_t until);
  /// False if nothing is known about it.
  bool forget_item(const Model& model, std::string_view query, std::string_view item,
                   std::uint64_t until);

  /// Adds to what is known without an impression: state of another service, or a fitted model.
  struct Import {
    std::string query;
    std::uint64_t rounds = 0;
    std::vector<Row> positions;
    std::vector<std::pair<std::string, Row>> items;
  };
  void import(const Model& model, const Import& import);

  Database& database() { return *database_; }

 private:
  struct Working {
    Impression impression;
    ImpressionState state_before{};
    bool changed = false;
  };
  struct Touched {
    std::shared_ptr<QueryEntry> entry;
    std::set<std::string, std::less<>> items;
    bool changed = false;
  };
  struct Applied {
    QueryEntry* entry = nullptr;
    std::uint64_t number = 0;
    Page page;
    Contribution before;
    Contribution after;
  };
  struct Replaced {
    QueryEntry* entry = nullptr;
    QueryState before;
  };

  void sweep_from(std::uint64_t number);
  void keep_cursor(std::uint64_t settled);
  std::int64_t query_id(QueryEntry& entry);
  Working* find(const std::string& id);
  EventResult click(Working& work, const Event& event, Time now) const;
  EventResult close(Working& work, const Event& event, Time now) const;
  EventResult hold(const Event& event, std::string_view model, Time now);
  void release(const std::string& id, Time now);
  Touched& touch(std::int64_t model, std::int64_t query);
  Touched& touch(const std::shared_ptr<QueryEntry>& entry);
  Learner& learner_for(const Model& model, std::size_t positions);
  void teach(Working& work);
  void write(const Working& work);
  void write(const Touched& touched);
  void finish();

  bool close_due(Time now);
  bool purge(Time now);
  void fold_into_base(const Impression& impression);

  Database* database_;
  QueryCache* cache_;
  const Models* models_;
  Lifetimes lifetimes_;
  Limits limits_;
  Metrics* metrics_;
  std::shared_ptr<const ModelList> list_;
  QueryReader queries_;
  ImpressionReader impressions_;
  LearnerRoom learners_;

  // Of the present transaction.
  std::unordered_map<std::string, std::unique_ptr<Working>> working_;
  std::vector<Working*> order_;
  std::map<std::int64_t, Touched> touched_;
  std::vector<Applied> applied_;
  std::vector<Replaced> replaced_;
  std::size_t purged_ = 0;
  std::vector<QueryEntry*> created_;
  std::vector<std::shared_ptr<QueryEntry>> kept_;

  // Of the sweep: all up to `cursor_` were looked at; of these, `waiting_` are open still.
  std::uint64_t cursor_ = 0;
  std::uint64_t settled_ = 0;  // the cursor as it is in the database
  std::set<std::pair<Time, std::uint64_t>> waiting_;
  std::set<std::uint64_t> waiting_numbers_;
  static constexpr std::size_t kMostAtOnce = 1000;
  std::size_t at_once_ = kMostAtOnce;
  std::size_t swept_singly_ = 0;
  std::vector<std::uint64_t> closing_;  // looked at by the present sweep
  std::set<std::uint64_t> damaged_;
  std::int64_t held_ = 0;
  // As they were when the transaction began.
  std::int64_t held_before_ = 0;
  std::uint64_t settled_before_ = 0;

  Statement insert_query_;
  Statement query_name_;
  Statement insert_impression_;
  Statement insert_named_;
  Statement update_impression_;
  Statement update_query_;
  Statement upsert_item_;
  Statement find_event_;
  Statement insert_event_;
  Statement insert_held_;
  Statement find_held_;
};

}  // namespace dcmrank::service
