#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../cli/process.h"

namespace dcmrank::testing {

/// A PostgreSQL of the test's own: in a folder, under an unprivileged user, on a Unix socket.
class PgCluster {
 public:
  /// Whether the server is installed here; tests are left out otherwise, but fail in CI.
  static bool is_installed();
  /// One for all tests of this process, made when it is first asked for.
  static PgCluster& shared();

  explicit PgCluster(std::vector<std::string> settings = {}, int port = 5432);
  /// A copy of a running one, which follows it (pg_basebackup).
  PgCluster(const PgCluster& primary, const std::string& name);
  ~PgCluster();
  PgCluster& operator=(const PgCluster&) = delete;
  PgCluster(PgCluster&&) = delete;
  PgCluster& operator=(PgCluster&&) = delete;

  void start();
  void stop(int signal);
  bool is_running() const { return server_ != nullptr; }
  pid_t pid() const { return server_->pid(); }
  /// Of all that belongs to it.
  std::vector<pid_t> processes() const;
  void promote();
  /// From now on a commit waits, on the disk already, for a standby that there is not; or no more.
  void hold_commits(bool on) const;

  /// The address of a new database.
  std::string new_database();
  std::string uri(const std::string& database) const;
  /// One statement; its first value.
  std::string ask(const std::string& sql, const std::string& database = "postgres") const;
  const std::filesystem::path& folder() const { return folder_.path(); }

  // TLS, where it listens on TCP. The name of a socket is made of the port, too.
  static int free_port();
  int port() const { return port_; }
  /// From now on, with a certificate for localhost.
  void use_tls();
  std::filesystem::path certificate() const { return folder() / "server.pem"; }
  /// NAME.pem, signed by itself, and NAME.key.
  static void make_certificate(const std::filesystem::path& folder, const std::string& name);

  /// A program that belongs to the server.
  static std::string program(const std::string& name);

 private:
  void give_folder() const;
  void make_data() const;
  Outcome as_user(std::vector<std::string> command) const;
  std::vector<std::string> command_of(std::vector<std::string> command) const;

  TemporaryFolder folder_;
  std::vector<std::string> settings_;
  int port_ = 5432;
  std::unique_ptr<Process> server_;
  int databases_ = 0;
};

}  // namespace dcmrank::testing
