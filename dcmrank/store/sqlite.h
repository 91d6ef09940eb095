#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dcmrank/store/store.h"

struct sqlite3;
struct sqlite3_stmt;

namespace dcmrank::service {

/// The file could not be opened, or not be read: what is in it is not known.
class CannotRead : public StorageError {
 public:
  using StorageError::StorageError;
};

/// A connection to a SQLite file, with functions that add rows of sums (add_row, add_rows,
/// is_zero). One thread at a time.
class Database {
 public:
  /// kCreate: makes the file where it is not there, for its owner alone.
  /// kLook: at the file as it is, without its log; nothing is locked, and nothing made beside it.
  enum class Mode { kCreate, kWrite, kRead, kLook };
  Database(const std::string& path, Mode mode);

  void execute(const char* sql);
  std::int64_t number(const char* sql);
  std::string text(const char* sql);
  std::int64_t last_id() const;
  bool in_transaction() const;

  sqlite3* handle() const { return handle_.get(); }
  /// Throws StorageError (CannotRead where it is one), or std::runtime_error where a record, and
  /// not the disk, is at fault.
  [[noreturn]] void fail(const char* doing) const;
  std::int64_t changes() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

class Rows;

/// A prepared statement, to be run with values for all its parameters, in their order: to its end,
/// or row by row. Texts and blobs must live until then. One use at a time.
class Statement {
 public:
  Statement(Database& database, const char* sql);

  template <class... Values>
  void run(const Values&... values) {
    bind(values...);
    while (step()) {
    }
  }

  template <class... Values>
  Rows rows(const Values&... values);

 private:
  friend class Rows;

  template <class... Values>
  void bind(const Values&... values) {
    reset();
    int n = 0;
    (put(++n, values), ...);
  }
  bool step();
  void reset();
  void put(int n, std::int64_t value);
  void put(int n, std::uint64_t value) { put(n, static_cast<std::int64_t>(value)); }
  void put(int n, int value) { put(n, std::int64_t{value}); }
  void put(int n, std::string_view text);
  void put(int n, const std::string& text) { put(n, std::string_view(text)); }
  void put(int n, std::nullptr_t);
  template <class Value>
  void put(int n, const std::optional<Value>& value) {
    if (value.has_value()) return put(n, value.value());
    put(n, nullptr);
  }
  void put(int n, const struct BlobView& blob);
  void check(int status) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// The rows of a statement. Whatever is thrown while they are read, nothing is left open: a read
/// that is left open sees the database as it was, for ever, and keeps its log from being cut.
/// Columns live until the next row.
class Rows {
 public:
  explicit Rows(Statement& statement) : statement_(&statement) {}
  ~Rows() { statement_->reset(); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  Rows(Rows&&) = delete;
  Rows& operator=(Rows&&) = delete;

  /// Whether there is another one; it is the present one then.
  bool next() { return statement_->step(); }

  std::int64_t number(int column) const;
  std::string_view text(int column) const;
  bool is_null(int column) const;

 private:
  Statement* statement_;
};

template <class... Values>
Rows Statement::rows(const Values&... values) {
  bind(values...);
  return Rows(*this);
}

/// Bytes, to be bound as such and not as text.
struct BlobView {
  std::string_view bytes;
};

}  // namespace dcmrank::service
