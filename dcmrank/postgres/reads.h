#pragma once

#include <functional>
#include <map>

#include "dcmrank/libpq/pool.h"
#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// The columns of an impression, as the statements select them.
Impression pg_impression(const PgRows& rows, int row);
inline constexpr const char* kPgFindImpressions =
    "SELECT i.number, i.word, i.model, q.name, i.made, i.news, i.state, i.seen, i.id, i.page, "
    "i.clicks, i.contribution, i.events, i.revision FROM unnest($1::int8[]) AS u(number) "
    "JOIN dcmrank.impression AS i ON i.bucket = (u.number & 255) AND i.number = u.number "
    "LEFT JOIN dcmrank.query AS q ON q.bucket = i.bucket AND q.model = i.model AND q.key = i.query";

/// What is kept of a query: what was summed up, and what was added since.
struct PgQuery {
  bool known = false;
  Standing standing;
  QueryState state;
  QueryState base;
  std::map<std::string, Time, std::less<>> used;  // by item
};
/// The fourth parameter is 1 where the base is wanted, too.
inline constexpr const char* kPgLoad =
    "SELECT 0, q.epoch, q.folds, q.rounds, q.base_rounds, q.name, q.positions, "
    "CASE WHEN $4::int8 = 1 THEN q.base_positions END "
    "FROM dcmrank.query AS q WHERE q.bucket = $1::int8 AND q.model = $2::int8 AND q.key = "
    "$3::bytea "
    "UNION ALL SELECT 1, i.used, 0, 0, 0, i.name, i.state, CASE WHEN $4::int8 = 1 THEN i.base END "
    "FROM dcmrank.item AS i "
    "WHERE i.bucket = $1::int8 AND i.model = $2::int8 AND i.query = $3::bytea "
    "UNION ALL SELECT 2, d.id, d.target, d.at, 0, NULL, d.sums, NULL FROM dcmrank.delta AS d "
    "WHERE d.bucket = $1::int8 AND d.model = $2::int8 AND d.query = $3::bytea";
PgQuery pg_query(const PgRows& rows);
/// Bucket, model and key of a query, for the first three parameters.
PgParams pg_place(const QueryKey& key);

// recount.cpp; `alone`: in a transaction of its own
bool pg_recount(PgSession& session, bool alone, const QueryKey& key, QueryState& state,
                QueryState& base, const std::function<void(const Impression&)>& each);
std::vector<std::string> pg_check(PgSession& session);
std::vector<std::string> pg_unfinished(PgSession& session);

/// The reads of a store in PostgreSQL, over whatever connection `ask` uses.
template <class Interface>
class PgReads : public Interface {
 public:
  std::vector<Model> models() override;
  std::uint64_t models_version() override;
  bool load(const QueryKey& key, QueryState& state, Standing& standing) override;
  std::vector<StoreReader::Summary> queries(std::int64_t model, std::string_view after,
                                            std::size_t most) override;
  bool has_learned(std::int64_t model) override;
  std::optional<Impression> find(std::int64_t model, std::string_view id) override;
  std::optional<Impression> find(std::uint64_t number) override;
  StoreReader::OwnId own_id(std::int64_t model, std::string_view id) override;
  bool recount(const QueryKey& key, QueryState& state, QueryState& base,
               const std::function<void(const Impression&)>& each) override {
    bool known = false;
    with_session(
        [&](PgSession& on) { known = pg_recount(on, !in_transaction(), key, state, base, each); });
    return known;
  }
  std::vector<std::string> check() override {
    std::vector<std::string> faults;
    with_session([&](PgSession& on) { faults = pg_check(on); });
    return faults;
  }
  std::vector<std::string> unfinished() override {
    std::vector<std::string> lines;
    with_session([&](PgSession& on) { lines = pg_unfinished(on); });
    return lines;
  }

 protected:
  /// Whether one was begun by name, and goes on.
  virtual bool in_transaction() const { return false; }
  struct Statement {
    const char* sql = nullptr;
    PgParams params;
  };
  /// Runs statements as one transaction.
  virtual PgGroup ask(std::vector<Statement> statements) = 0;
  /// For what takes several steps; a transaction that fails in it is ended.
  virtual void with_session(const std::function<void(PgSession&)>& work) = 0;
  PgRows ask_one(const char* sql, PgParams params = {});
  /// The number of the impression that has this name; 0 for the model stands for what was moved
  /// here from another store.
  virtual std::optional<std::uint64_t> number_of(std::int64_t model, std::string_view id);
  /// The one row of a caller's own id: nulls for what there is not.
  PgRows find_name(std::int64_t model, std::string_view id);
};

extern template class PgReads<StoreReader>;
extern template class PgReads<StoreWriter>;

/// Reads, over the pool.
class PgReader final : public PgReads<StoreReader> {
 public:
  explicit PgReader(std::shared_ptr<PgPool> pool) : pool_(std::move(pool)) {}

 private:
  PgGroup ask(std::vector<Statement> statements) override;
  void with_session(const std::function<void(PgSession&)>& work) override;

  std::shared_ptr<PgPool> pool_;
};

}  // namespace dcmrank::service
