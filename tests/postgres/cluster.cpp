#include "cluster.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/places.h"

namespace dcmrank::testing {
namespace {

namespace fs = std::filesystem;

// The newest that Debian has installed.
fs::path programs() {
  fs::path best;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", none)) {
    const fs::path bin = entry.path() / "bin";
    if (fs::exists(bin / "initdb") && (best.empty() || bin > best)) best = bin;
  }
  return best;
}

const passwd* unprivileged() { return ::getpwnam("nobody"); }

// Held by one process at a time.
class FileLock {
 public:
  explicit FileLock(const fs::path& file)
      : descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX) != 0) {
      throw std::runtime_error("cannot lock " + file.string());
    }
  }
  ~FileLock() { ::close(descriptor_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

void must(const Outcome& outcome, const std::string& what) {
  if (outcome.status != 0) throw std::runtime_error(what + ": " + outcome.err);
}

void copy_tree(const fs::path& from, const fs::path& to) {
  must(Process({"cp", "-a", from.string(), to.string()}, to.parent_path()).wait(), "cp");
}

}  // namespace

bool PgCluster::is_installed() {
  if (!programs().empty()) return true;
  if (std::getenv("CI") == nullptr) return false;
  throw std::runtime_error("PostgreSQL is not installed, and CI leaves nothing out");
}

PgCluster& PgCluster::shared() {
  static PgCluster cluster;
  return cluster;
}

// To the user under whom the server runs.
void PgCluster::give_folder() const {
  if (::geteuid() == 0) {
    const passwd* user = unprivileged();
    if (::chown(folder_.path().c_str(), user->pw_uid, user->pw_gid) != 0) {
      throw std::runtime_error("chown failed");
    }
  }
}

PgCluster::PgCluster(std::vector<std::string> settings, int port)
    : settings_(std::move(settings)), port_(port) {
  give_folder();
  make_data();
  start();
}

// What initdb makes takes longer than most tests: it is made once per build, and copied.
void PgCluster::make_data() const {
  const fs::path data = folder_.path() / "data";
  const std::string version = programs().parent_path().filename().string();
  const fs::path kept =
      fs::path(places::kScratch) / ("postgres-" + version + "-" + std::to_string(::geteuid()));
  const fs::path half = kept.string() + ".new";
  const FileLock lock(kept.string() + ".lock");
  if (fs::exists(kept)) return copy_tree(kept, data);
  must(as_user({(programs() / "initdb").string(), "--no-sync", "-A", "trust", "-U", "dcmrank", "-E",
                "UTF8", "--locale=C", "-D", data.string()}),
       "initdb");
  fs::remove_all(half);
  copy_tree(data, half);
  fs::rename(half, kept);
}

PgCluster::PgCluster(const PgCluster& primary, const std::string& name)
    : settings_(primary.settings_) {
  give_folder();
  must(as_user({(programs() / "pg_basebackup").string(), "--no-sync", "-R", "-c", "fast", "-D",
                (folder_.path() / "data").string(), "-d",
                primary.uri("postgres") + "&application_name=" + name}),
       "pg_basebackup");
  start();
}

PgCluster::~PgCluster() {
  if (server_) stop(SIGQUIT);
}

// Goes with this process, whatever ends that.
std::vector<std::string> PgCluster::command_of(std::vector<std::string> command) const {
  std::vector<std::string> words{"setpriv", "--pdeathsig", "KILL"};
  if (::geteuid() == 0) {
    const passwd* user = unprivileged();
    words.insert(words.end(), {"--reuid", std::to_string(user->pw_uid), "--regid",
                               std::to_string(user->pw_gid), "--clear-groups"});
  }
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Outcome PgCluster::as_user(std::vector<std::string> command) const {
  return Process(command_of(std::move(command)), folder_.path()).wait();
}

void PgCluster::start() {
  std::vector<std::string> command{(programs() / "postgres").string(),
                                   "-D",
                                   (folder_.path() / "data").string(),
                                   "-k",
                                   folder_.path().string(),
                                   "-p",
                                   std::to_string(port_),
                                   "-c",
                                   "listen_addresses=",
                                   "-c",
                                   "fsync=off"};
  for (const std::string& setting : settings_) command.insert(command.end(), {"-c", setting});
  for (int n = 0; n < 6000; ++n) {
    // Where the former server was killed, its children may live a little longer, and keep the data.
    const bool refused = server_ && !server_->running() &&
                         server_->err().find("pre-existing shared memory") != std::string::npos;
    if (!server_ || refused) {
      server_ = std::make_unique<Process>(command_of(command), folder_.path());
    }
    if (PQping(uri("postgres").c_str()) == PQPING_OK) return;
    if (!refused && !server_->running()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error("postgres did not start: " + server_->err());
}

void PgCluster::stop(int signal) {
  server_->signal(signal);
  server_->wait();
  server_.reset();
}

std::vector<pid_t> PgCluster::processes() const {
  std::vector<pid_t> all{pid()};
  std::istringstream children(read(fs::path("/proc") / std::to_string(pid()) / "task" /
                                   std::to_string(pid()) / "children"));
  for (pid_t child = 0; children >> child;) all.push_back(child);
  return all;
}

void PgCluster::promote() {
  const Outcome done = as_user({(programs() / "pg_ctl").string(), "promote", "-w", "-D",
                                (folder_.path() / "data").string()});
  if (done.status != 0) throw std::runtime_error("promote: " + done.out + done.err);
}

// The server hears of the standby in its own time: it has where a commit of ours waits.
void PgCluster::hold_commits(bool on) const {
  ask("CREATE TABLE IF NOT EXISTS held_commits(n integer)");
  ask(std::string("ALTER SYSTEM SET synchronous_standby_names = '") + (on ? "nobody" : "") + "'");
  ask("SELECT pg_reload_conf()");
  for (bool held = !on; !held;) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
        PQconnectdb(uri("postgres").c_str()), &PQfinish);
    const std::string pid = std::to_string(PQbackendPID(connection.get()));
    if (PQsendQuery(connection.get(), "INSERT INTO held_commits VALUES(1)") == 0) {
      throw std::runtime_error(PQerrorMessage(connection.get()));
    }
    while (!held && PQisBusy(connection.get()) == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (PQconsumeInput(connection.get()) == 0) {
        throw std::runtime_error(PQerrorMessage(connection.get()));
      }
      held = ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = " + pid +
                 " AND wait_event = 'SyncRep'") == "t";
    }
  }
}

std::string PgCluster::new_database() {
  const std::string name = "d" + std::to_string(++databases_);
  ask("CREATE DATABASE " + name);
  return uri(name);
}

std::string PgCluster::uri(const std::string& database) const {
  return "postgresql://dcmrank@/" + database + "?host=" + folder_.path().string() +
         (port_ == 5432 ? "" : "&port=" + std::to_string(port_));
}

int PgCluster::free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool found = ::bind(socket, any, size) == 0 && ::getsockname(socket, any, &size) == 0;
  ::close(socket);
  if (!found) throw std::runtime_error("no port is free");
  return ntohs(address.sin_port);
}

void PgCluster::make_certificate(const fs::path& folder, const std::string& name) {
  const Outcome made =
      Process({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
               "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", name + ".key",
               "-out", name + ".pem"},
              folder)
          .wait();
  if (made.status != 0) throw std::runtime_error("openssl: " + made.err);
}

void PgCluster::use_tls() {
  make_certificate(folder(), "server");
  if (::geteuid() == 0) {
    const passwd* user = unprivileged();
    if (::chown((folder() / "server.key").c_str(), user->pw_uid, user->pw_gid) != 0) {
      throw std::runtime_error("chown failed");
    }
  }
  ask("ALTER SYSTEM SET ssl_cert_file = '" + certificate().string() + "'");
  ask("ALTER SYSTEM SET ssl_key_file = '" + (folder() / "server.key").string() + "'");
  ask("ALTER SYSTEM SET ssl = on");
  stop(SIGINT);
  start();
}

std::string PgCluster::program(const std::string& name) { return (programs() / name).string(); }

std::string PgCluster::ask(const std::string& sql, const std::string& database) const {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(uri(database).c_str()),
                                                                &PQfinish);
  const auto run = [&] {
    return std::unique_ptr<PGresult, decltype(&PQclear)>(PQexec(connection.get(), sql.c_str()),
                                                         &PQclear);
  };
  auto result = run();
  // Locks of all tables may meet those of a server at work: all of it is undone then, and done
  // again.
  for (int n = 0; n < 50; ++n) {
    const char* const state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    if (state == nullptr || std::string_view(state) != "40P01") break;
    result = run();
  }
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    throw std::runtime_error(sql + ": " + PQerrorMessage(connection.get()));
  }
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

}  // namespace dcmrank::testing
