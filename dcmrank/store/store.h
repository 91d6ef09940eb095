// The interface between the service and where its records are kept (docs/service-storage.md). What
// happens to an impression is decided by ledger/rules.h, what it teaches by ledger/learner.h; a
// store only keeps. contract_test.h checks every store against this contract.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/ledger/bucket.h"
#include "dcmrank/ledger/delta.h"
#include "dcmrank/ledger/impression.h"
#include "dcmrank/ledger/model.h"
#include "dcmrank/ledger/query_state.h"
#include "dcmrank/store/reason.h"

namespace dcmrank::service {

/// A list that was just ranked. Its number carries the bucket of its query.
struct NewImpression {
  std::uint64_t number = 0;
  std::uint64_t epoch = 0;  // of its query, as whoever ranked it knew it
  std::uint32_t word = 0;
  Time made = 0;
  std::int64_t model = 0;
  std::string query;
  std::string page;           // encoded
  std::string id;             // the caller's, with what is needed to answer it again:
  std::string body;           // a hash of the request
  std::string answer;         // and the answer
  std::uint64_t erasure = 0;  // of this id, as whoever ranked it knew it

  std::size_t bytes() const;
};

/// An event whose impression is not known yet.
struct HeldEvent {
  std::int64_t model = 0;
  std::string caller;  // by whose key it came
  Time until = 0;
  Event event;
  std::uint64_t number = 0;  // tells it from others, where the store needs that
};

/// Up to where something that was loaded reaches, in a store that others write to as well.
struct Standing {
  std::uint64_t epoch = 0;            // how often the query was forgotten
  std::uint64_t folds = 0;            // how often what had been added was summed up
  std::vector<std::uint64_t> deltas;  // what was added since then
};

/// Reads. One thread at a time.
class StoreReader {
 public:
  StoreReader() = default;
  virtual ~StoreReader() = default;
  StoreReader(const StoreReader&) = delete;
  StoreReader& operator=(const StoreReader&) = delete;
  StoreReader(StoreReader&&) = delete;
  StoreReader& operator=(StoreReader&&) = delete;

  /// Also those that this program cannot serve (Model::unknown).
  virtual std::vector<Model> models() = 0;
  /// Another number after each change of a model.
  virtual std::uint64_t models_version() { return 0; }

  /// What was learned of a query, as of one moment; false if it is not known.
  virtual bool load(const QueryKey& key, QueryState& state, Standing& standing) = 0;
  bool load_state(const QueryKey& key, QueryState& state) {
    Standing standing;
    return load(key, state, standing);
  }

  struct Summary {
    std::string name;
    std::uint64_t rounds;
  };
  /// Up to `most` queries after the name `after`, by name.
  virtual std::vector<Summary> queries(std::int64_t model, std::string_view after,
                                       std::size_t most) = 0;
  /// Whether anything taught the model: a page that closed, or an import. A list that is open is
  /// kept with its query, and has not.
  virtual bool has_learned(std::int64_t model) = 0;

  /// By the id that callers use, which belongs to its model; an id that the service made is known
  /// whatever the model, and 0 stands for any then.
  virtual std::optional<Impression> find(std::int64_t model, std::string_view id) = 0;
  virtual std::optional<Impression> find(std::uint64_t number) = 0;

  struct Named {
    std::string body;    // a hash of the request
    std::string answer;  // empty: it was erased
    bool stored = true;  // false: its list is on its way
  };
  struct OwnId {
    std::optional<Named> named;
    std::uint64_t erasure = 0;  // the last one, where a list of this id was erased not long ago
  };
  /// What is known of an id of the caller's own.
  virtual OwnId own_id(std::int64_t model, std::string_view id) = 0;
  /// The stored answer to a request that named its impression.
  std::optional<Named> named(std::int64_t model, std::string_view id) {
    return own_id(model, id).named;
  }

  /// All of one query as of one moment, for a recount: what was learned, what of that no recorded
  /// impression accounts for, and these impressions. False if it is not known.
  virtual bool recount(const QueryKey& key, QueryState& state, QueryState& base,
                       const std::function<void(const Impression&)>& each) = 0;

  /// Whether the store is whole in itself: a line for every fault, some of them at most.
  virtual std::vector<std::string> check() = 0;
  /// Ids of events that the impression took and that would be taken again.
  virtual std::vector<std::string> lost_events(const Impression& /*impression*/) { return {}; }
  /// What is on its way, or was left by somebody who was stopped halfway, a line for each: no
  /// faults.
  virtual std::vector<std::string> unfinished() { return {}; }
};

/// Of what is unfinished: a model without a name.
std::string being_erased(std::int64_t model);

/// Whether a list is kept, or else why not.
class Kept {
 public:
  enum class Not : std::uint8_t { kErased, kModelErased, kIdTaken };
  Kept() = default;
  Kept(Not why) : why_(why) {}  // NOLINT(google-explicit-constructor,hicpp-explicit-conversions)
  explicit operator bool() const { return !why_; }
  Not why() const { return *why_; }

 private:
  std::optional<Not> why_;
};

/// Writes in transactions, and reads what it wrote. One thread at a time; of one store there may
/// be several in different processes. A transaction is one for each bucket that it touches: what
/// concerns one bucket is kept whole or not at all.
class StoreWriter : public StoreReader {
 public:
  /// Begins a transaction; one that a failure left open is rolled back first.
  virtual void begin() = 0;
  /// Durable when it returns, except for buckets in which somebody else was faster: of these
  /// nothing is kept, and the work may be done again. Throws StorageError if nobody knows what
  /// was kept: to do all of it again is safe, too, unless that is an UnsureError.
  virtual Buckets commit() = 0;
  virtual void rollback() = 0;

  /// An event that is going to be taken; the model is 0 if any may be meant.
  struct Expected {
    std::int64_t model = 0;
    std::string_view impression;
    std::string_view event;  // its id; may be empty
  };
  /// What this transaction is going to look at: a store that is far away fetches it at once.
  virtual void expect(std::span<const NewImpression* const> /*lists*/,
                      std::span<const Expected> /*events*/) {}
  /// The transaction is about this query alone, and until its end nobody else changes anything of
  /// it.
  virtual void lock(const QueryKey& /*key*/) {}
  /// The transaction is kept whole or not at all, whatever it touches.
  virtual void together() {}
  /// So it is, and until its end nobody else changes which models there are, or what they are.
  virtual void lock_models() {}
  /// Of such a transaction, which goes on: what was written so far need not be remembered here.
  virtual void flush() {}

  // Impressions. `due` is when an open one is to close (ledger/rules.h); of closed ones it is
  // nothing.
  /// Nothing is kept where something of the query, or a list of its id, was erased since it was
  /// ranked, or its id is of another one by now. One that is there already stays as it is.
  virtual Kept insert(const NewImpression& impression, Time due) = 0;
  /// Without a time an open one stays due when it was: news only make it due later, and whoever
  /// looks at what is due sees that. It spares an index that every click would change.
  virtual void update(const Impression& impression, std::optional<Time> due) = 0;
  /// With its page, from which something was erased; the stored answer and the ids of its events,
  /// which may be made of what was erased, go.
  virtual void rewrite(const Impression& impression, Time due) = 0;
  /// With its name, its events, and what is held for it.
  virtual void remove(const Impression& impression) = 0;
  /// Of closed impressions made before this time some, others each time until all were seen.
  virtual std::vector<std::uint64_t> old(Time before, std::size_t most) = 0;
  /// The numbers of impressions that are due, the longest due first.
  virtual std::vector<std::uint64_t> due(Time now, std::size_t most) = 0;
  /// Due no more: it cannot be read.
  virtual void set_aside(std::uint64_t number) = 0;
  /// The open impressions of a model are due anew: it closes them after another time now.
  virtual void reschedule(std::int64_t model, Time close_after) = 0;
  virtual std::vector<std::uint64_t> impressions_of(const QueryKey& key, std::size_t most) = 0;

  // Sums. Only differences are written: whoever else adds, nothing is overwritten.
  enum class Into { kState, kBase, kBoth };
  /// The query is made where it is not there. The number by which a Standing knows it, if at all.
  virtual std::uint64_t add(const QueryKey& key, const QueryDelta& delta, Into into, Time now) = 0;
  /// How many pages have taught each of these queries.
  virtual std::vector<std::uint64_t> rounds(std::span<const QueryKey> keys) {
    std::vector<std::uint64_t> result;
    for (const QueryKey& key : keys) {
      QueryState state;
      load_state(key, state);
      result.push_back(state.rounds);
    }
    return result;
  }

  struct Folded {
    std::size_t of = 0;  // the number of the query among those that were asked for
    std::uint64_t epoch = 0;
    std::uint64_t folds = 0;                                   // from now on
    std::vector<std::pair<std::uint64_t, QueryDelta>> deltas;  // that were summed up
  };
  /// Sums up what was added one by one to these queries, where that is at least so much; each in a
  /// transaction of its own. Which were: where somebody else is at it, another time will do.
  virtual std::vector<Folded> fold(std::span<const QueryKey> /*keys*/, std::size_t /*least*/) {
    return {};
  }

  struct Known {
    const QueryKey* key;
    const Standing* standing;
  };
  struct News {
    std::size_t of = 0;   // the number of the query among those that were asked for
    bool reload = false;  // it is another one altogether
    std::vector<std::pair<std::uint64_t, QueryDelta>> deltas;
  };
  /// What others did to these queries.
  virtual std::vector<News> refresh(std::span<const Known> /*queries*/) { return {}; }

  /// The sums of a query, and of its items, are nothing.
  virtual void reset(const QueryKey& key) = 0;

  // Events.
  /// The hash of the event that has this id; it is looked for in the bucket of its impression.
  virtual std::optional<std::string> event(std::uint64_t impression, std::int64_t model,
                                           std::string_view id) = 0;
  virtual void insert_event(std::uint64_t impression, std::int64_t model, std::string_view id,
                            std::string_view hash) = 0;
  virtual void hold(const HeldEvent& event) = 0;
  /// Takes out what is held for an impression.
  virtual std::vector<HeldEvent> release(std::int64_t model, std::string_view id) = 0;
  /// Takes out some of what is held for impressions that others have made known meanwhile.
  virtual std::vector<HeldEvent> ripe(std::size_t /*most*/) { return {}; }
  /// Takes out what was held for too long: by caller, how many.
  virtual std::vector<std::pair<std::string, std::uint64_t>> expire_held(Time now) = 0;
  /// By caller, how many are held.
  virtual std::vector<std::pair<std::string, std::uint64_t>> held() = 0;

  /// Writes something that does not matter, to see whether that is possible.
  virtual void probe(Time now) = 0;

  /// As Store::begin_start, in this transaction.
  virtual std::uint64_t begin_start() = 0;

  // Models.
  /// Makes it, or changes the one of its name; its id.
  virtual std::int64_t put(const Model& model) = 0;

  // Erasure: rows and text go.
  virtual void erase_query(const QueryKey& key) = 0;
  virtual void erase_item(const QueryKey& key, std::string_view item) = 0;
  /// Of this id no list is kept that was ranked before, by whichever process: for a day, and not
  /// where nobody else writes to the store (insert). Durable with the transaction, or before it.
  virtual void erase_id(std::int64_t /*model*/, std::string_view /*id*/) {}
  /// Events that wait for an impression; whether there were any. Where that is so, the id goes,
  /// too.
  virtual bool erase_held(std::int64_t model, std::string_view id) = 0;
  /// Removes items of which nothing is left, and the query where that holds for all of it.
  virtual void drop_empty(const QueryKey& key) = 0;
  /// The model is gone at once; what it holds goes by erase_some.
  virtual void erase_model(std::int64_t model) = 0;
  /// Goes on with erasing models, at most so many rows; whether there is more.
  virtual bool erase_some(std::size_t most) = 0;

  /// Looks at some queries, the next ones each time, and removes what was not shown since
  /// `before`: items, and queries without impressions. Which queries changed.
  virtual std::vector<QueryKey> trim(Time before, std::size_t most) = 0;
};

/// A store. Any thread.
class Store {
 public:
  Store() = default;
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  Store(Store&&) = delete;
  Store& operator=(Store&&) = delete;

  virtual std::unique_ptr<StoreReader> reader() = 0;
  virtual std::unique_ptr<StoreWriter> writer() = 0;

  /// Whether other processes may write to it at the same time.
  virtual bool is_shared() const { return false; }
  /// The longest ids, queries and names of models that it keeps, in bytes.
  virtual std::size_t longest_id() const { return SIZE_MAX; }
  /// How often something that was seen, though it was not durable, may have been lost: what was
  /// read before is to be read again.
  virtual std::uint64_t breaks() const { return 0; }

  /// Whether no service has ever started on it.
  virtual bool is_unused() = 0;
  /// Another number for each start of a service, from 1 and below 2^23; those of a store that is
  /// not shared grow.
  virtual std::uint64_t begin_start() = 0;
  /// What time it is, for all who use the store; not before what is recorded.
  virtual Time now() = 0;
  /// Some time at which something was stored, one of the last; 0 where nothing was, or where the
  /// store's own clock is that of all who use it.
  virtual Time last_time() { return 0; }
  /// Until when nothing is to go for its age because the clock is in doubt, kept over starts; 0
  /// where it is not.
  virtual Time doubted_until() { return 0; }
  virtual void doubt_until(Time /*time*/) {}
  virtual std::uint64_t bytes() const = 0;
  /// Throws StorageError where what is written now would not be found again.
  virtual void check_place() const {}

  /// Wipes what was erased from every file, as soon as no reader needs it any more and no model is
  /// half erased; a store that is shared frees the room of it. Not yet: it is to be called again.
  enum class Wiped : std::uint8_t { kNothing, kAll, kNotYet };
  virtual Wiped wipe() = 0;
  /// Whether something was erased, perhaps before a crash, that was not wiped yet.
  virtual bool must_wipe() = 0;

  /// What was migrated when it was opened; empty if nothing was.
  virtual std::string migrated() const = 0;
};

}  // namespace dcmrank::service
