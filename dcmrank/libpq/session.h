#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dcmrank/libpq/params.h"
#include "dcmrank/store/store.h"

struct pg_conn;
struct pg_result;

namespace dcmrank::service {

/// The rows that a statement gave.
class PgRows {
 public:
  PgRows() = default;
  explicit PgRows(pg_result* result) : result_(result) {}

  int size() const;
  bool is_null(int row, int column) const;
  std::int64_t number(int row, int column) const;
  std::string_view text(int row, int column) const;

  /// The first column of all rows.
  std::vector<std::uint64_t> numbers() const;
  /// Texts of the first column, with what was counted of each in the second.
  std::vector<std::pair<std::string, std::uint64_t>> counts() const;

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

/// What became of the statements between two syncs: a transaction, where none was begun by name.
struct PgGroup {
  std::vector<PgRows> rows;  // by statement
  std::string state;         // SQLSTATE of what failed; empty where nothing did
  std::string problem;

  bool failed() const { return !state.empty(); }
  /// Somebody else was faster; to be done again.
  bool is_conflict() const;
  /// What was written is at fault, and not the database.
  bool is_of_record() const;
  /// Throws StorageError, or std::runtime_error where the statement, and not the database, is at
  /// fault.
  void check() const;
};

/// A connection to PostgreSQL in pipeline mode. Statements are prepared when they are first used.
/// All that waits has an end: whatever does not come within the patience breaks the connection,
/// and a broken one throws StorageError for ever. One thread at a time.
class PgSession {
 public:
  using Patience = std::chrono::milliseconds;
  /// Throws StorageError where there is no connection within the patience.
  PgSession(const std::string& uri, Patience patience);
  ~PgSession();
  PgSession(const PgSession&) = delete;
  PgSession& operator=(const PgSession&) = delete;
  PgSession(PgSession&&) = delete;
  PgSession& operator=(PgSession&&) = delete;

  bool is_broken() const { return broken_; }
  /// Broken because an answer did not come in time.
  bool is_slow() const { return slow_; }

  /// Queues a statement; `sql` must live as long as the program.
  void send(const char* sql, const PgParams& params = {});
  /// Ends a group.
  void sync();
  /// Sends what is queued and returns what became of each group.
  std::vector<PgGroup> collect();

  /// One statement, in a group of its own. Throws as PgGroup::check does.
  PgRows run(const char* sql, const PgParams& params = {});
  /// Statements without parameters or rows, which must be done outside of the pipeline.
  void script(const std::string& sql);
  void pipeline(bool on);

  /// How commits are made durable, as the database is set: sessions do not wait for each of them
  /// (postgres_writer.h), but for the last one.
  const std::string& durable() const { return durable_; }

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  enum class Awaited : std::uint8_t { kPrepared, kRows, kSync };
  struct Item {
    Awaited what;
    const char* sql;
  };

  [[noreturn]] void refused();
  [[noreturn]] void broke(const std::string& doing);
  void wait(bool write, std::chrono::steady_clock::time_point until, bool locked);
  void plan_anew();
  bool take(std::vector<PgGroup>& groups);
  void connect(const std::string& uri);
  std::string show(const char* sql);

  Patience patience_;
  std::unique_ptr<pg_conn, Close> connection_;
  bool broken_ = false;
  bool slow_ = false;
  std::string durable_;
  std::unordered_map<const char*, std::string> prepared_;
  std::uint64_t names_ = 0;
  std::deque<Item> awaited_;
  std::chrono::steady_clock::time_point connected_;
  std::chrono::steady_clock::time_point plan_anew_;  // when
};

}  // namespace dcmrank::service
