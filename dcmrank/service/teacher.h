#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcmrank/ledger/delta.h"
#include "dcmrank/ledger/lifetimes.h"
#include "dcmrank/ledger/model.h"
#include "dcmrank/service/cache.h"
#include "dcmrank/service/clock.h"
#include "dcmrank/service/metrics.h"
#include "dcmrank/service/options.h"
#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// Who reports events: what he may report to, and what of his is kept for how many.
struct Caller {
  std::string name;      // of his key; empty where no key is needed
  std::string model;     // the one that he may report to; empty: any
  std::size_t held = 0;  // events at most
};

/// How the list begins, in a stored answer, that a model in the shadow would have shown. Its items
/// need not be among those that were shown.
inline constexpr std::string_view kWouldShow = R"(,"would_show":[)";

/// The one writer's transactions: records impressions and events, and lets impressions teach when
/// they close. What it changes in memory is changed back when the transaction fails: memory and
/// store never disagree for longer than one transaction. One thread.
class Teacher {
 public:
  Teacher(StoreWriter& store, QueryCache& cache, const Models& models, const Lifetimes& lifetimes,
          Metrics& metrics);

  /// `taught` is called with how many pages of a model have taught it.
  void on_taught(std::function<void(std::int64_t model, std::uint64_t pages)> taught) {
    taught_ = std::move(taught);
  }

  /// Other processes write to the store as well; `follow` reads the models where they changed.
  void share(std::function<void()> follow) {
    shared_ = true;
    follow_ = std::move(follow);
  }

  /// The models as the store has them now, whatever was known of them here. Whether that was
  /// something else.
  bool follow_models();
  /// Likewise where something is not as the models that are known here say; once in a transaction.
  bool look_again();
  /// The model of this name as the store has it now; nothing if there is none.
  std::shared_ptr<const Model> model(std::string_view name);
  /// All models as they are now, and until the end of the transaction nobody changes them.
  const ModelList& hold_models();
  const ModelList& models() const { return *list_; }

  void begin(Time now);
  /// Teaches what closed, writes everything, and makes it durable, except for what is of these
  /// buckets (StoreWriter::commit).
  Buckets commit();
  void rollback();

  /// What is going to be added and taken in this transaction.
  struct Reported {
    const Event* event;
    const Caller* caller;
  };
  void expect(std::span<const NewImpression* const> lists, std::span<const Reported> events);
  Kept add(const NewImpression& given);
  EventResult take(const Event& event, const Caller& caller);

  /// Takes over what other processes have done to the queries that are used here. `breaks`: how
  /// often the store lost something. Between two transactions.
  void refresh(std::uint64_t breaks);

  /// Until then nothing goes for its age.
  void keep_all_until(Time time) { keeps_all_until_ = time; }
  /// Of how many queries something went because nobody was shown it any more, since the last call.
  std::size_t take_trimmed() { return std::exchange(trimmed_, 0); }

  /// Closes impressions whose time is up, and lets old ones go; bounded work. Whether there is more
  /// to do.
  bool sweep();
  /// A sweep failed, and was rolled back, though the disk did not fail. Whether the next one may
  /// find out which impression it was.
  bool sweep_failed();

  /// Drops held events that waited too long and what is not used any more, goes on with erasing;
  /// bounded work. Whether there is more to do.
  bool tidy();

  // Each of these stands alone in its transaction. `until` is the last impression that was shown
  // before: what is still on its way here is erased, too. False: it is not known.
  bool erase_query(const QueryKey& key, std::uint64_t until);
  bool erase_item(const QueryKey& key, std::string_view item, std::uint64_t until);
  enum class Erased { kYes, kUnknown, kOnItsWay };
  /// On its way: another server has it half stored, and not soon enough the other half.
  Erased erase_impression(std::int64_t model, std::string_view id, std::uint64_t until);
  void erase_model(std::int64_t model);

  /// Adds to what is known without an impression: state of another service, or a fitted model.
  struct Import {
    std::string query;
    QueryDelta delta;
  };
  /// What is going to be imported in this transaction: a store that is far away is asked once.
  void expect_imports(std::vector<QueryKey> keys);
  /// False where the query would have more than kMostRounds.
  bool import(const Model& model, const Import& import);

  StoreWriter& store() { return *store_; }

 private:
  struct Working {
    Impression impression;
    ImpressionState state_before{};
    std::uint64_t clicks_before = 0;
    bool changed = false;
  };
  struct Applied {
    QueryEntry* entry;    // is touched
    const Working* work;  // with what it taught now
    Contribution before;
  };
  /// What is erased of impressions that are still on their way here.
  struct Mark {
    std::string item;  // empty: all of the query
    std::uint64_t until = 0;
    Time forget = 0;
  };

  /// The model that an event is meant for; nothing: whichever has the impression.
  struct Meant {
    const Model* model = nullptr;
    bool any = false;
    EventResult refusal;  // where it is neither
  };
  Meant meant(const Event& event, const Caller& caller) const;
  struct Found {
    Meant meant;
    Working* work = nullptr;
  };
  Found find(const Event& event, const Caller& caller);
  Working* find(std::int64_t model, std::string_view id);
  bool knows(std::int64_t model);
  Working& work_on(Impression impression);
  EventResult hold(const Event& event, std::int64_t model, const Caller& caller);
  void release(const NewImpression& impression);
  std::shared_ptr<QueryEntry> touch(const QueryKey& key);
  Learner& learner_for(const Model& model, std::size_t positions);
  Time due(const Impression& impression) const;
  void teach(Working& work);
  void look_at(Impression impression);
  void let_go(const Impression& impression);
  bool erase_stored(std::int64_t model, std::string_view id);
  bool erase_marked(NewImpression& impression) const;
  bool is_in_answer(const Impression& impression, std::string_view item);
  void count_held();
  void take_held(const HeldEvent& held);
  void take_back(const Buckets& buckets);
  void note_added(const Buckets& failed);
  void count_pages(const Buckets& failed);
  void fold_long_ones();
  bool load_again(QueryEntry& entry);
  void finish();

  StoreWriter* store_;
  QueryCache* cache_;
  const Models* models_;
  Lifetimes lifetimes_;
  Metrics* metrics_;
  LearnerRoom learners_;
  std::function<void(std::int64_t, std::uint64_t)> taught_;
  std::function<void()> follow_;

  // Of the present transaction.
  Time now_ = 0;
  std::shared_ptr<const ModelList> list_;
  bool looked_again_ = false;
  std::map<std::pair<std::int64_t, std::string>, std::unique_ptr<Working>> working_;
  std::vector<Working*> order_;
  std::map<QueryKey, std::shared_ptr<QueryEntry>> touched_;
  struct Added {
    QueryDelta delta;
    std::uint64_t number = 0;
  };
  std::map<QueryKey, Added> deltas_;
  std::vector<Applied> applied_;
  std::set<QueryKey> stale_;                        // in memory, once it is committed
  std::map<std::int64_t, std::uint64_t> imported_;  // rounds, by model
  std::map<QueryKey, std::uint64_t> rounds_;        // of what is going to be imported
  std::vector<EventResult> released_;               // of events that had been held
  std::size_t purged_ = 0;

  std::map<std::string, std::uint64_t> held_;  // by caller
  std::map<std::string, std::uint64_t> held_before_;
  std::multimap<QueryKey, Mark> marks_;
  std::map<std::pair<std::int64_t, std::string>, Mark> marked_ids_;
  std::map<QueryKey, std::shared_ptr<QueryEntry>> long_ones_;  // to be summed up
  std::uint64_t breaks_ = 0;
  std::uint64_t refreshed_ = 0;
  bool shared_ = false;

  // Of the sweep.
  Time keeps_all_until_ = 0;
  std::size_t trimmed_ = 0;
  static constexpr std::size_t kMostAtOnce = 1000;
  std::size_t at_once_ = kMostAtOnce;
  std::vector<std::uint64_t> looked_at_;  // by the present sweep
  std::vector<std::uint64_t> damaged_;    // to be set aside
  bool set_aside_ = false;                // they are, once this is committed
};

}  // namespace dcmrank::service
