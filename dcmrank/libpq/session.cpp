#include "dcmrank/libpq/session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

namespace dcmrank::service {
namespace {

using std::chrono::steady_clock;

// What every session is set to. Plans are made once and by index: whoever is first must not make
// one for empty tables that all others use. A client that is stopped in the middle of a transaction
// holds up the others for some seconds at most.
constexpr const char* kSettings =
    "SET search_path = pg_catalog; SET plan_cache_mode = force_generic_plan; "
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; "
    "SET jit = off; SET client_min_messages = error; SET lock_timeout = '5s'; "
    "SET idle_in_transaction_session_timeout = '5s'; SET statement_timeout = '60s'; "
    "SET client_connection_check_interval = '1s'; "
    "SET synchronous_commit = off";

constexpr std::chrono::seconds kFirstPlans(1);
constexpr std::size_t kMany = 30;  // answers
constexpr std::string_view kLockTimeout = "55P03";
// Groups that come after one that waited for a lock in vain may each have to wait as long.
constexpr PgSession::Patience kMoreLocks(1000);
constexpr std::chrono::microseconds kGather(500);
constexpr const char* kBroke = "the connection to the database broke";

bool starts_with_any(std::string_view state, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return state.starts_with(start); });
}

std::string one_line(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  return line.empty() ? "no reason given" : line;
}

}  // namespace

void PgRows::Clear::operator()(pg_result* result) const { PQclear(result); }

int PgRows::size() const { return result_ ? PQntuples(result_.get()) : 0; }

bool PgRows::is_null(int row, int column) const {
  return PQgetisnull(result_.get(), row, column) != 0;
}

std::int64_t PgRows::number(int row, int column) const {
  const std::string_view bytes = text(row, column);
  // Numbers of fewer bytes keep their sign.
  std::uint64_t value =
      !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(value);
}

std::vector<std::uint64_t> PgRows::numbers() const {
  std::vector<std::uint64_t> result;
  result.reserve(static_cast<std::size_t>(size()));
  for (int n = 0; n < size(); ++n) result.push_back(static_cast<std::uint64_t>(number(n, 0)));
  return result;
}

std::vector<std::pair<std::string, std::uint64_t>> PgRows::counts() const {
  std::vector<std::pair<std::string, std::uint64_t>> result;
  result.reserve(static_cast<std::size_t>(size()));
  for (int n = 0; n < size(); ++n) {
    result.emplace_back(text(n, 0), static_cast<std::uint64_t>(number(n, 1)));
  }
  return result;
}

std::string_view PgRows::text(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

// Serialisation, deadlock, a lock that took too long, a key that is there already, a statement
// whose preparation went with a group that failed.
bool PgGroup::is_conflict() const {
  return starts_with_any(state, {"40", "55P03", "23505", "26000"});
}

// Only what is wrong with values (22), breaks a constraint (23) or is too large for an index (54)
// is about the record at hand. All else may be a table that is away, a trigger, a right, the
// system: it concerns everybody, and whoever sends the same again later may succeed.
bool PgGroup::is_of_record() const {
  return !is_conflict() && starts_with_any(state, {"22", "23", "54"});
}

void PgGroup::check() const {
  if (!failed()) return;
  if (is_of_record()) throw std::runtime_error(problem);
  throw StorageError(Reason{problem, "the database refused it"});
}

void PgSession::Close::operator()(pg_conn* connection) const { PQfinish(connection); }

PgSession::PgSession(const std::string& uri, Patience patience) : patience_(patience) {
  connect(uri);
  durable_ = show("SHOW synchronous_commit");
  if (durable_ == "off") durable_ = "on";  // what is acknowledged is durable
  script(kSettings);
  pipeline(true);
  connected_ = steady_clock::now();
  plan_anew_ = connected_ + kFirstPlans;
}

// Plans that were made while a table was small may go through all that it has got since. They are
// made again after a second, and whenever the connection has become twice as old: tables grow no
// faster than that without being analysed.
void PgSession::plan_anew() {
  const auto now = steady_clock::now();
  if (now < plan_anew_) return;
  plan_anew_ = now + (now - connected_);
  if (PQsendQueryParams(connection_.get(), "DISCARD PLANS", 0, nullptr, nullptr, nullptr, nullptr,
                        1) != 1) {
    broke("sending");
  }
  awaited_.push_back({Awaited::kPrepared, nullptr});
  sync();
  collect();  // in a transaction that has failed it is done another time
}

void PgSession::pipeline(bool on) {
  const int done =
      on ? PQenterPipelineMode(connection_.get()) : PQexitPipelineMode(connection_.get());
  if (done != 1) broke("pipeline mode");
}

PgSession::~PgSession() = default;

void PgSession::connect(const std::string& uri) {
  // What stands in the address replaces these, which stand before it.
  const std::array<const char*, 5> words{"fallback_application_name", "tcp_user_timeout",
                                         "keepalives_idle", "dbname", nullptr};
  const std::array<const char*, 5> values{"dcmrank", "10000", "5", uri.c_str(), nullptr};
  connection_.reset(PQconnectStartParams(words.data(), values.data(), 1));
  if (!connection_) throw StorageError("no memory for a connection");
  if (PQstatus(connection_.get()) == CONNECTION_BAD) refused();
  const auto until = steady_clock::now() + patience_;
  PostgresPollingStatusType now = PGRES_POLLING_WRITING;
  while (now != PGRES_POLLING_OK) {
    if (now == PGRES_POLLING_FAILED) refused();
    pollfd entry{PQsocket(connection_.get()),
                 static_cast<short>(now == PGRES_POLLING_WRITING ? POLLOUT : POLLIN), 0};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now());
    if (left.count() <= 0) {
      broken_ = true;
      throw StorageError("the database cannot be reached in time");
    }
    ::poll(&entry, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1000)));
    if (entry.revents != 0) now = PQconnectPoll(connection_.get());
  }
  PQsetnonblocking(connection_.get(), 1);
}

void PgSession::refused() {
  broken_ = true;
  const std::string ours = "no connection to the database";
  throw StorageError(
      Reason{fmt::format("{}: {}", ours, one_line(PQerrorMessage(connection_.get()))), ours});
}

void PgSession::broke(const std::string& doing) {
  broken_ = true;
  throw StorageError(
      Reason{fmt::format("{} ({}): {}", kBroke, doing, one_line(PQerrorMessage(connection_.get()))),
             kBroke});
}

void PgSession::wait(bool write, steady_clock::time_point until, bool locked) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now());
  if (left.count() <= 0) {
    broken_ = true;
    slow_ = !locked;
    throw StorageError(locked ? "somebody else has locked records of the database"
                              : "the database does not answer");
  }
  pollfd entry{PQsocket(connection_.get()), static_cast<short>(POLLIN | (write ? POLLOUT : 0)), 0};
  if (::poll(&entry, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) {
    broke("waiting");
  }
}

void PgSession::script(const std::string& sql) {
  if (broken_) throw StorageError(kBroke);
  if (PQsendQuery(connection_.get(), sql.c_str()) != 1) broke("sending");
  const auto until = steady_clock::now() + std::max(patience_, Patience(600'000));
  PgGroup group;
  for (bool done = false; !done;) {
    const int flushed = PQflush(connection_.get());
    if (flushed < 0) broke("sending");
    if (PQisBusy(connection_.get()) != 0) {
      wait(flushed == 1, until, false);
      if (PQconsumeInput(connection_.get()) != 1) broke("receiving");
      continue;
    }
    pg_result* result = PQgetResult(connection_.get());
    done = result == nullptr;
    if (done) continue;
    const PgRows rows(result);
    if (PQresultStatus(result) != PGRES_FATAL_ERROR) continue;
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    group.state = state != nullptr ? state : "08000";
    group.problem = one_line(PQresultErrorMessage(result));
  }
  if (PQstatus(connection_.get()) != CONNECTION_OK) broke("receiving");
  group.check();
}

// Before the pipeline is entered.
std::string PgSession::show(const char* sql) {
  const PgRows held(PQexec(connection_.get(), sql));
  if (held.size() != 1) broke("setting up");
  return std::string(held.text(0, 0));
}

void PgSession::send(const char* sql, const PgParams& params) {
  if (broken_) throw StorageError(kBroke);
  if (awaited_.empty()) plan_anew();
  auto& name = prepared_[sql];
  if (name.empty()) {
    name = fmt::format("s{}", ++names_);
    if (PQsendPrepare(connection_.get(), name.c_str(), sql, 0, nullptr) != 1) broke("sending");
    awaited_.push_back({Awaited::kPrepared, sql});
  }
  const auto& values = params.values();
  std::vector<const char*> starts;
  std::vector<int> lengths;
  const std::vector<int> binary(values.size(), 1);
  for (const std::string& value : values) {
    starts.push_back(value.data());
    lengths.push_back(static_cast<int>(value.size()));
  }
  if (PQsendQueryPrepared(connection_.get(), name.c_str(), static_cast<int>(values.size()),
                          starts.data(), lengths.data(), binary.data(), 1) != 1) {
    broke("sending");
  }
  awaited_.push_back({Awaited::kRows, sql});
}

void PgSession::sync() {
  if (broken_) throw StorageError(kBroke);
  if (PQpipelineSync(connection_.get()) != 1) broke("sending");
  awaited_.push_back({Awaited::kSync, nullptr});
}

// Takes one thing that has arrived; false where none has.
bool PgSession::take(std::vector<PgGroup>& groups) {
  if (awaited_.empty() || PQisBusy(connection_.get()) != 0) return false;
  pg_result* result = PQgetResult(connection_.get());
  PgRows rows(result);
  const Item item = awaited_.front();
  PgGroup& group = groups.back();
  if (result == nullptr) {  // the end of a statement
    if (item.what != Awaited::kSync) awaited_.pop_front();
    return true;
  }
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_PIPELINE_SYNC) {
    awaited_.pop_front();
    if (!awaited_.empty()) groups.emplace_back();
    return true;
  }
  if (item.what == Awaited::kPrepared && status != PGRES_COMMAND_OK) prepared_.erase(item.sql);
  if (status == PGRES_FATAL_ERROR && !group.failed()) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    group.state = state != nullptr ? state : "08000";
    const char* text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    group.problem = one_line(text != nullptr ? text : PQresultErrorMessage(result));
    if (PQstatus(connection_.get()) != CONNECTION_OK) broke("receiving");
  }
  if (item.what == Awaited::kRows) group.rows.push_back(std::move(rows));
  return true;
}

std::vector<PgGroup> PgSession::collect() {
  std::vector<PgGroup> groups(1);
  if (broken_) throw StorageError(kBroke);
  auto until = steady_clock::now() + patience_;
  bool locked = false;
  while (!awaited_.empty()) {
    const int flushed = PQflush(connection_.get());
    if (flushed < 0) broke("sending");
    if (take(groups)) {
      if (!locked) until = steady_clock::now() + patience_;
      if (!locked && groups.back().state == kLockTimeout) {
        locked = true;
        until = steady_clock::now() + std::min(patience_, kMoreLocks);
      }
      continue;
    }
    // To be woken by each of many answers takes longer than to answer.
    if (flushed == 0 && awaited_.size() > kMany) std::this_thread::sleep_for(kGather);
    wait(flushed == 1, until, locked);
    if (PQconsumeInput(connection_.get()) != 1) broke("receiving");
  }
  // A server that became a standby, or is shutting down, is to be left.
  for (const PgGroup& group : groups) {
    if (starts_with_any(group.state, {"57P", "25006"})) broken_ = true;
  }
  return groups;
}

PgRows PgSession::run(const char* sql, const PgParams& params) {
  send(sql, params);
  sync();
  auto groups = collect();
  groups.front().check();
  return std::move(groups.front().rows.front());
}

}  // namespace dcmrank::service
