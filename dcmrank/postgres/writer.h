#pragma once

#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "dcmrank/pg_schema/buckets.h"
#include "dcmrank/pg_schema/done.h"
#include "dcmrank/pg_schema/names.h"
#include "dcmrank/postgres/reads.h"

namespace dcmrank::service {

/// What was held, of a row of model, impression, number, caller, until and body; nothing where it
/// is damaged: it is dropped when its time is up.
std::optional<HeldEvent> pg_held(const PgRows& rows, int row);

/// Writes to a store in PostgreSQL, beside any number of others.
///
/// What a transaction looks at is fetched at once (expect), what it writes is kept back, and each
/// bucket's part is then sent as a transaction of its own, all in one go, which succeeds only where
/// nobody has changed what was looked at. None of them waits for the disk; the last one of all
/// does, and with it whatever was committed before, by whomever: nothing is acknowledged earlier.
///
/// Sums are never written: what is added is a row of its own (`delta`), so that no two writers
/// meet; once there are many, somebody sums them up (fold).
class PgWriter final : public PgReads<StoreWriter> {
 public:
  explicit PgWriter(std::shared_ptr<PgPool> pool);

  void begin() override;
  Buckets commit() override;
  void rollback() override;
  void expect(std::span<const NewImpression* const> lists,
              std::span<const Expected> events) override;
  void lock(const QueryKey& key) override;
  void together() override;
  void lock_models() override;
  void flush() override;

  std::optional<Impression> find(std::uint64_t number) override;
  using PgReads<StoreWriter>::find;

  Kept insert(const NewImpression& given, Time due) override;
  void update(const Impression& impression, std::optional<Time> due) override;
  void rewrite(const Impression& impression, Time due) override;
  void remove(const Impression& impression) override;
  std::vector<std::uint64_t> old(Time before, std::size_t most) override;
  std::vector<std::uint64_t> due(Time now, std::size_t most) override;
  void set_aside(std::uint64_t number) override;
  void reschedule(std::int64_t model, Time close_after) override;
  std::vector<std::uint64_t> impressions_of(const QueryKey& key, std::size_t most) override;

  std::uint64_t add(const QueryKey& key, const QueryDelta& delta, Into into, Time now) override;
  std::vector<std::uint64_t> rounds(std::span<const QueryKey> keys) override;
  std::vector<Folded> fold(std::span<const QueryKey> keys, std::size_t least) override;
  std::vector<News> refresh(std::span<const Known> queries) override;
  void reset(const QueryKey& key) override;

  std::optional<std::string> event(std::uint64_t impression, std::int64_t model,
                                   std::string_view id) override;
  void insert_event(std::uint64_t impression, std::int64_t model, std::string_view id,
                    std::string_view hash) override;
  void hold(const HeldEvent& event) override;
  std::vector<HeldEvent> release(std::int64_t model, std::string_view id) override;
  std::vector<HeldEvent> ripe(std::size_t most) override;
  std::vector<std::pair<std::string, std::uint64_t>> expire_held(Time now) override;
  std::vector<std::pair<std::string, std::uint64_t>> held() override;

  void probe(Time now) override;
  std::uint64_t begin_start() override;
  std::int64_t put(const Model& model) override;

  void erase_query(const QueryKey& key) override;
  void erase_item(const QueryKey& key, std::string_view item) override;
  void erase_id(std::int64_t model, std::string_view id) override;
  bool erase_held(std::int64_t model, std::string_view id) override;
  void drop_empty(const QueryKey& key) override;
  void erase_model(std::int64_t model) override;
  bool erase_some(std::size_t most) override;
  std::vector<QueryKey> trim(Time before, std::size_t most) override;

 private:
  using Name = std::pair<std::int64_t, std::string>;  // model, id
  struct Epoch {
    std::uint64_t number = 0;
    bool stored = false;  // the query is there, and need not be made
    std::string key;
  };
  using QueryEpoch = std::pair<const QueryKey, Epoch>;
  struct Insert {
    std::uint64_t number = 0;
    std::uint32_t word = 0;
    Time made = 0;
    Time due = 0;
    const QueryEpoch* query = nullptr;  // of epochs_
    std::string id;
    std::string page;
  };
  struct Update {
    Impression impression;
    std::optional<Time> due;
    bool keeps_due = false;
    bool rewritten = false;  // its page, too
  };
  struct Added {
    QueryKey key;
    std::uint64_t number = 0;
    std::int64_t target = 0;
    Time at = 0;
    std::int64_t rounds = 0;
    std::string sums;
  };
  struct EventRow {
    std::int64_t model = 0;
    std::string id;
    std::string hash;
  };
  struct Pack {
    std::int64_t model = 0;
    std::string query;  // its key
    std::int64_t id = 0;
  };
  /// What a transaction does to one bucket.
  struct Work {
    std::vector<Insert> inserts;
    std::map<std::uint64_t, Update> updates;
    std::vector<std::pair<std::uint64_t, std::int64_t>> removals;  // number, revision
    std::vector<EventRow> events;
    std::vector<EventRow> dropped_events;
    std::map<QueryKey, Time> made_queries;  // by an import
    std::vector<Added> added;
    std::vector<HeldEvent> held;
    std::vector<Pack> done_packs;  // unless something is left in them
  };
  struct ItemSums {
    Time used = 0;
    Row state;
    Row base;
  };
  /// All that is known of a query, summed up.
  struct Sum {
    bool known = false;
    std::uint64_t epoch = 0;
    std::int64_t folds = 0;
    Time used = 0;
    QueryDelta state;  // without the items
    QueryDelta base;
    std::map<std::string, ItemSums, std::less<>> items;
    std::vector<std::pair<std::uint64_t, QueryDelta>> deltas;  // that are in it

    std::string damage;  // of a record, if there is any

    void add(std::uint64_t id, std::int64_t target, Time at, QueryDelta delta);
    void read(const std::function<void()>& part);
  };
  struct Claim {
    Name name;
    std::uint64_t number = 0;
    std::string body;
    std::string answer;
    std::optional<std::uint64_t> stale{};  // whose claim led to nothing
    Time at = 0;                           // when it was made
    std::uint64_t erasure = 0;             // as whoever ranked its list knew it
  };

  bool in_transaction() const override { return named_transaction_; }
  PgGroup ask(std::vector<Statement> statements) override;
  void with_session(const std::function<void(PgSession&)>& work) override;
  std::optional<std::uint64_t> number_of(std::int64_t model, std::string_view id) override;
  std::optional<Impression> inserted(std::uint64_t number) const;
  static Name name_of(const NewImpression& list);
  void free_claim(const NewImpression& list);
  PgSession& session();
  void clear();
  void forget_looks();
  /// Runs and commits at once, whatever the transaction is up to, unless that was begun by name.
  PgRows run(const char* sql, const PgParams& params = {}) { return session().run(sql, params); }

  // expect.cpp
  void fetch(const std::set<std::uint64_t>& numbers);
  void fetch_names(const std::set<Name>& wanted);
  void fetch_events(std::span<const Expected> events);
  void fetch_for_lists(std::span<const NewImpression* const> lists, bool doubt);
  void look_for(std::span<const NewImpression* const> lists, std::span<const Expected> events,
                bool doubt);

  // send.cpp
  void send_work(std::size_t bucket, const Work& work);
  void send_queries(std::size_t bucket, const Work& work);
  void send_lists(std::size_t bucket, std::span<const Insert* const> lists);
  void send_updates(std::size_t bucket, const Work& work);
  void send_events(std::size_t bucket, const Work& work);
  void send_added(std::size_t bucket, const Work& work);
  void send_held(std::size_t bucket, const Work& work);

  // packs.cpp
  std::vector<const Insert*> send_packs(std::size_t bucket, const Work& work);
  void send_pack(std::size_t bucket, std::span<const Insert* const> lists);
  void send_done_packs(std::size_t bucket, const Work& work);
  void add_due_packs(Time now, std::size_t most, std::vector<std::uint64_t>& numbers);

  // commit.cpp
  void claim_names(Buckets& failed);
  void send_erasures();
  void send_claims_hold(std::size_t bucket);
  void send_drop_claim(const Name& name, std::uint64_t number);
  Buckets send_buckets(const Buckets& given);
  Buckets commit_all();
  void commit_named();
  void flush_committed();
  void clean_up_after_named();
  void send_flush();
  bool flush_named_transaction();
  void clean_up(const Buckets& failed);
  bool has_cleaning() const {
    return !drop_names_.empty() || !free_claims_.empty() || !blank_names_.empty() ||
           !drop_held_.empty() || !drop_held_of_.empty() || !drop_held_items_.empty();
  }

  // fold.cpp, erase.cpp
  using DropItem = std::function<bool(const std::string& name, Time used)>;
  std::vector<Sum> read_sums(std::span<const QueryKey> keys, bool all_items);
  void send_sum(const QueryKey& key, const Sum& sum, const DropItem& drop_item);
  bool sum_up(const QueryKey& key, const DropItem& drop_item);
  void begin_alone(const QueryKey& key);
  void begin_alone(std::size_t bucket);
  void erase_rows(const QueryKey& key, bool keeps_epoch);
  void erase_rows(std::size_t bucket, std::int64_t model, const std::vector<std::string>& queries,
                  bool keeps_epoch);
  std::size_t erase_of_bucket(std::size_t bucket, std::int64_t model, std::size_t most);
  void mark_for_wiping();

  std::shared_ptr<PgPool> pool_;
  std::unique_ptr<PgSession> session_;
  std::uint64_t nonce_;
  std::pair<Time, std::int64_t> aged_{};  // the last impression that old() gave
  std::tuple<std::int64_t, std::int64_t, std::string> trimmed_{-1, 0, ""};  // likewise, query
  PgNamePlace names_looked_at_ = kFirstName;

  bool doubt_ = false;  // whether what the last transaction stored is there

  // Of the present transaction.
  bool named_transaction_ = false;  // begun by name: lock() or together()
  std::optional<PgMark> mark_;      // of such a one, where somebody asks what became of it
  bool erased_apart_ = false;       // something that is gone whatever becomes of the transaction
  std::optional<std::size_t> locked_;
  bool expected_ = false;  // all lists that are going to be inserted
  bool looked_ = false;    // something was read that others may have written just now
  std::map<std::size_t, Work> work_;
  std::vector<Claim> claims_;
  std::unordered_map<std::uint64_t, std::optional<Impression>> impressions_;
  std::map<Name, std::optional<std::uint64_t>> names_;
  std::map<Name, std::pair<std::uint64_t, std::int64_t>> name_ages_;  // number, milliseconds
  std::map<std::tuple<std::size_t, std::int64_t, std::string>, std::optional<std::string>> events_;
  std::map<QueryKey, Epoch> epochs_;
  std::map<Name, std::uint64_t> erasures_;
  std::map<Name, std::vector<HeldEvent>> held_;
  std::set<Name> held_known_;
  std::set<std::int64_t> models_;  // that are there
  // To be done once it is committed, in other buckets.
  std::vector<std::pair<std::size_t, Name>> drop_names_;  // the bucket that it depends on
  std::vector<std::pair<std::size_t, Name>> blank_names_;
  std::vector<std::pair<Name, std::uint64_t>> free_claims_;  // of lists that are not kept
  std::vector<HeldEvent> drop_held_;
  std::vector<std::pair<std::size_t, Name>> drop_held_of_;
  std::vector<Name> drop_held_items_;  // model, item
};

}  // namespace dcmrank::service
