#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace dcmrank::service {

/// The database could not read or write: the disk is full, fails, or the file is damaged.
class StorageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A connection to a SQLite file. One thread at a time.
class Database {
 public:
  enum class Mode { kCreate, kWrite, kRead };
  Database(const std::string& path, Mode mode);

  void execute(const char* sql);
  std::int64_t number(const char* sql);
  std::string text(const char* sql);
  std::int64_t last_id() const;
  bool in_transaction() const;

  sqlite3* handle() const { return handle_.get(); }
  [[noreturn]] void fail(const char* doing) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement. Bind all parameters in order, then step; texts and blobs that are bound
/// must live until the step. Columns live until the next step or bind.
class Statement {
 public:
  Statement(Database& database, const char* sql);

  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int n = 0;
    (put(++n, values), ...);
    return *this;
  }

  /// Whether there is a row.
  bool step();

  /// Runs it to the end and leaves nothing open; a read that is left open keeps the log of the
  /// database from being cut.
  void run();
  void reset();

  std::int64_t number(int column) const;
  std::string_view text(int column) const;
  bool is_null(int column) const;

 private:
  void put(int n, std::int64_t value);
  void put(int n, std::uint64_t value) { put(n, static_cast<std::int64_t>(value)); }
  void put(int n, int value) { put(n, std::int64_t{value}); }
  void put(int n, std::string_view text);
  void put(int n, const std::string& text) { put(n, std::string_view(text)); }
  void put(int n, std::nullptr_t);
  void put(int n, const struct BlobView& blob);
  void check(int status) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// Bytes, to be bound as such and not as text.
struct BlobView {
  std::string_view bytes;
};

}  // namespace dcmrank::service
