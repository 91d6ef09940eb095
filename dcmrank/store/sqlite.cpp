#include "dcmrank/store/sqlite.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dcmrank/ledger/impression.h"
#include "dcmrank/store/trickle.h"

namespace dcmrank::service {

namespace {

std::string look_at(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool special = c == '%' || c == '?' || c == '#';
    uri += special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return uri + "?immutable=1";
}

std::string_view blob_of(sqlite3_value* value) {
  const void* bytes = sqlite3_value_blob(value);
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  return bytes == nullptr ? std::string_view()
                          : std::string_view(static_cast<const char*>(bytes), size);
}

// A function of SQL made from one of C++, whose exceptions become errors of the statement.
template <auto function>
void call(sqlite3_context* context, int, sqlite3_value** values) {
  try {
    function(context, values);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

void return_blob(sqlite3_context* context, const std::string& bytes) {
  sqlite3_result_blob64(context, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
}

void add_row_blobs(sqlite3_context* context, sqlite3_value** values) {
  Row sum = parse_row(blob_of(values[0]));
  sum.add(parse_row(blob_of(values[1])), 1);
  return_blob(context, row_blob(sum));
}

void add_rows_blobs(sqlite3_context* context, sqlite3_value** values) {
  auto sum = decode_rows(blob_of(values[0]));
  const auto more = decode_rows(blob_of(values[1]));
  sum.resize(std::max(sum.size(), more.size()));
  for (std::size_t n = 0; n < more.size(); ++n) sum[n].add(more[n], 1);
  return_blob(context, encode(sum));
}

void is_zero_blob(sqlite3_context* context, sqlite3_value** values) {
  sqlite3_result_int(context, parse_row(blob_of(values[0])).empty() ? 1 : 0);
}

void add_functions(sqlite3* handle) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  const auto add = [handle](const char* name, int values, auto function) {
    sqlite3_create_function_v2(handle, name, values, kFlags, nullptr, function, nullptr, nullptr,
                               nullptr);
  };
  add("add_row", 2, call<add_row_blobs>);
  add("add_rows", 2, call<add_rows_blobs>);
  add("is_zero", 1, call<is_zero_blob>);
}

// Nobody but its owner can read it at any moment; SQLite gives what it makes beside it the same
// mode. What cannot be made, SQLite complains of.
void make_private(const std::string& path) {
  const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made >= 0) ::close(made);
}

std::string why_of(sqlite3* handle, int status) {
  const int system = handle == nullptr ? 0 : sqlite3_system_errno(handle);
  const char* said = handle == nullptr ? sqlite3_errstr(status) : sqlite3_errmsg(handle);
  if (system == 0) return said;
  return fmt::format("{} ({})", said, std::strerror(system));  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Database::Database(const std::string& path, Mode mode) {
  // What SQLite allocates is bounded by its cache's size; counting it takes a lock each time.
  static std::once_flag configured;
  std::call_once(configured, [] {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    Trickle::prepare();
  });
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (mode == Mode::kLook    ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                     : mode == Mode::kRead  ? SQLITE_OPEN_READONLY
                     : mode == Mode::kWrite ? SQLITE_OPEN_READWRITE
                                            : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const std::string name = mode == Mode::kLook ? look_at(path) : path;
  if (mode == Mode::kCreate) make_private(path);
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (status != SQLITE_OK) {
    throw CannotRead(Reason{fmt::format("cannot open {}: {}", path, why_of(handle, status)),
                            "the database cannot be opened"});
  }
  sqlite3_busy_timeout(handle, 5000);
  add_functions(handle);
}

void Database::fail(const char* doing) const {
  const std::string why = fmt::format("{}: {}", doing, why_of(handle(), sqlite3_errcode(handle())));
  constexpr int kPrimary = 0xFF;
  switch (sqlite3_errcode(handle()) & kPrimary) {
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_PERM:
      throw CannotRead(Reason{why, "the database cannot be read or written"});
    default:
      break;
  }
  switch (sqlite3_errcode(handle())) {
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      throw std::runtime_error(why);
    default:
      throw StorageError(Reason{why, "the database cannot be read or written"});
  }
}

// Not const: it changes what the handle leads to.
void Database::execute(const char* sql) {  // NOLINT(readability-make-member-function-const)
  if (sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail("database");
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  Rows rows = statement.rows();
  return rows.next() ? rows.number(0) : 0;
}

std::string Database::text(const char* sql) {
  Statement statement(*this, sql);
  Rows rows = statement.rows();
  return rows.next() ? std::string(rows.text(0)) : std::string();
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(handle()); }

std::int64_t Database::changes() const { return sqlite3_changes64(handle()); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(Database& database, const char* sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v3(database.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT,
                                        &statement, nullptr);
  statement_.reset(statement);
  if (status != SQLITE_OK) database.fail("database");
}

void Statement::check(int status) const {
  if (status != SQLITE_OK) database_->fail("database");
}

bool Statement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) {
    try {
      database_->fail("database");
    } catch (...) {
      reset();
      throw;
    }
  }
  sqlite3_reset(statement_.get());
  return false;
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Rows::number(int column) const {
  return sqlite3_column_int64(statement_->statement_.get(), column);
}

std::string_view Rows::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_->statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_->statement_.get(), column);
  return bytes == nullptr
             ? std::string_view()
             : std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

bool Rows::is_null(int column) const {
  return sqlite3_column_type(statement_->statement_.get(), column) == SQLITE_NULL;
}

void Statement::put(int n, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), n, value));
}

void Statement::put(int n, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), n, text.data() == nullptr ? "" : text.data(),
                            text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::put(int n, std::nullptr_t) { check(sqlite3_bind_null(statement_.get(), n)); }

void Statement::put(int n, const BlobView& blob) {
  check(sqlite3_bind_blob64(statement_.get(), n,
                            blob.bytes.data() == nullptr ? "" : blob.bytes.data(),
                            blob.bytes.size(), SQLITE_STATIC));
}

}  // namespace dcmrank::service
