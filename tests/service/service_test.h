#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "../cli/process.h"
#include "../postgres/cluster.h"
#include "http_client.h"
#include "openapi_check.h"
#include "tests/places.h"

namespace dcmrank::testing {

/// `dcmrank serve` on a port that the kernel chose; killed with the object where it was not
/// stopped.
class Server {
 public:
  Server(const std::filesystem::path& folder, const std::string& options,
         std::vector<std::string> before = {}, const std::string& listen = "127.0.0.1:0")
      : process_(command(options, std::move(before), listen), folder) {
    const std::string start = "listening on ";
    for (int n = 0; n < 3000 && process_.running(); ++n) {
      const std::string out = process_.out();
      if (const auto end = out.find('\n'); end != std::string::npos) {
        address_ = out.substr(start.size(), end - start.size());
        if (const auto scheme = address_.find("://"); scheme != std::string::npos) {
          address_.erase(0, scheme + 3);
        }
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~Server() {
    if (stopped_) return;
    process_.signal(SIGKILL);
    process_.wait();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& address() const { return address_; }
  const Process& process() const { return process_; }
  Outcome stop(int signal = SIGTERM) {
    process_.signal(signal);
    stopped_ = true;
    return process_.wait();
  }

 private:
  static std::vector<std::string> command(const std::string& options,
                                          std::vector<std::string> words,
                                          const std::string& listen) {
    words.insert(words.end(), {places::kProgram, "serve", "--listen", listen});
    std::istringstream stream(options);
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }
  Process process_;
  std::string address_;
  bool stopped_ = false;
};

/// A number that whoever runs the tests may choose.
inline std::uint64_t from_environment(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

/// Whether the tests of the service run over PostgreSQL: TESTED_STORE=postgres.
inline bool over_postgres() {
  const char* kind = std::getenv("TESTED_STORE");
  return kind != nullptr && std::string(kind) == "postgres";
}

/// The fixture of all tests of the service: the verbs in which they are written. Every answer is
/// checked against openapi.json. They run over every store (over_stores.cpp); what is about one
/// store alone has a fixture of its own (SqliteTest, FleetTest).
class ServiceTest : public ::testing::Test {
 protected:
  using json = nlohmann::json;

  void SetUp() override {
    if (over_postgres() && !PgCluster::is_installed())
      GTEST_SKIP() << "PostgreSQL is not installed";
  }
  /// Where the service keeps what it knows, as its commands are told.
  std::string place() {
    if (!over_postgres()) return "--data data";
    if (database_.empty()) database_ = PgCluster::shared().new_database();
    return "--store " + database_;
  }
  /// Another one, which is empty.
  static std::string another_place() {
    return over_postgres() ? "--store " + PgCluster::shared().new_database() : "--data another";
  }
  /// Somebody else, over PostgreSQL: one statement; its first value.
  std::string in_postgres(const std::string& sql) {
    const std::size_t start = place().find("@/") + 2;
    const std::string name = database_.substr(start - std::strlen("--store "));
    return PgCluster::shared().ask(
        "SET search_path = dcmrank; SET client_min_messages = error; " + sql,
        name.substr(0, name.find('?')));
  }

  /// The next start knows nothing.
  void forget_all() {
    std::filesystem::remove_all(folder() / "data");
    database_.clear();
  }

  void start(const std::string& options = "", std::vector<std::string> before = {}) {
    server_ = std::make_unique<Server>(folder(), place() + " " + options, std::move(before));
    ASSERT_NE(server_->address(), "") << "the server did not start";
    client_ = std::make_unique<HttpClient>(server_->address());
  }
  Outcome stop(int signal = SIGTERM) {
    client_.reset();
    Outcome outcome = server_->stop(signal);
    server_.reset();
    return outcome;
  }
  /// On a machine that fails as `trouble` says (failing_disk.cpp), from then on. A database whose
  /// disk is full says so of every row.
  void disk(const std::string& trouble) {
    if (!over_postgres()) return write(folder() / "disk", trouble);
    in_postgres(
        "CREATE OR REPLACE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE "
        "EXCEPTION ''no space left on device'' USING ERRCODE = ''53100''; END'; "
        "DO $$ DECLARE t text; BEGIN FOR t IN SELECT tablename FROM pg_tables WHERE "
        "schemaname = 'dcmrank' LOOP EXECUTE 'CREATE TRIGGER no_space BEFORE INSERT OR UPDATE ON '"
        " || t || ' EXECUTE FUNCTION no_space()'; END LOOP; END $$");
  }
  void disk_is_well() {
    if (!over_postgres()) return void(std::filesystem::remove(folder() / "disk"));
    in_postgres("DROP FUNCTION IF EXISTS no_space CASCADE");
  }
  void start_on_bad_disk(const std::string& options = "") {
    if (over_postgres()) return start(options);
    start(options, {"env", std::string("LD_PRELOAD=") + places::kFailingDisk,
                    "ASAN_OPTIONS=verify_asan_link_order=0",
                    "FAILING_DISK=" + (folder() / "disk").string()});
  }
  void restart(int signal = SIGTERM, const std::string& options = "") {
    stop(signal);
    start(options);
  }
  const std::string& address() const { return server_->address(); }
  const Process& process() const { return server_->process(); }
  std::filesystem::path folder() const { return folder_.path(); }

  /// Any call, on a connection of its own.
  HttpAnswer call(const std::string& method, const std::string& path, const std::string& body = "",
                  const std::string& headers = "") {
    HttpAnswer answer = HttpClient(address()).call(method, path, body, headers);
    EXPECT_EQ(differs_from_openapi(method, path, answer), "") << answer.body;
    return answer;
  }

  /// A call that must succeed.
  json get(const std::string& path) { return good("GET", path, ""); }
  json post(const std::string& path, const json& body) { return good("POST", path, body.dump()); }
  json put(const std::string& path, const json& body) { return good("PUT", path, body.dump()); }

  /// Ranks and returns the id of the impression.
  std::string rank(const json& body) { return post("/v1/rank", body)["impression"]; }
  std::string rank(const std::string& query, const std::vector<std::string>& items) {
    return rank({{"query", query}, {"items", items}});
  }
  static std::vector<std::string> ids(const json& answer) {
    std::vector<std::string> result;
    for (const json& item : answer["items"]) result.push_back(item["id"]);
    return result;
  }

  static json click(const std::string& impression, const std::string& item) {
    return {{"impression", impression}, {"item", item}, {"type", "click"}};
  }
  static json close(const std::string& impression) {
    return {{"impression", impression}, {"type", "close"}};
  }
  /// Reports one event and returns its status.
  std::string report(const json& event) {
    return post("/v1/feedback", event)["results"][0]["status"];
  }
  /// What is stored of a query: estimates depend on when examination was fitted last.
  static json counted(json shown) {
    for (json& item : shown["items"]) {
      item.erase("estimate");
      item.erase("interval");
    }
    return shown;
  }
  json query(const std::string& query, const std::string& model = "default") {
    return get("/v1/models/" + model + "/queries/" + query);
  }

  /// Shows a page and reports its clicks.
  void page(const std::string& query, const std::vector<std::string>& items,
            const std::vector<std::string>& clicked) {
    const std::string impression = rank(query, items);
    for (const std::string& item : clicked) report(click(impression, item));
    report(close(impression));
  }
  std::string exported() { return call("GET", "/v1/export").body; }

  void learn(const std::string& name) {
    const std::string impression = rank(name, {"a", "b"});
    EXPECT_EQ(report(click(impression, "a")), "accepted");
    EXPECT_EQ(report(close(impression)), "accepted");
  }

  // Where it need not be described, nor go well.
  int status(const std::string& method, const std::string& path, const std::string& body,
             const std::string& headers = "") {
    return HttpClient(address()).call(method, path, body, headers).status;
  }

  double metric(const std::string& name) {
    std::istringstream lines(call("GET", "/metrics").body);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(name + " ")) return std::stod(line.substr(name.size() + 1));
    }
    return -1;
  }

  /// Waits until it is so, for a generous time.
  static bool eventually(const std::function<bool()>& so) {
    for (int n = 0; n < 600; ++n) {
      if (so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  /// Runs another command of the program to its end.
  Outcome dcmrank(const std::string& words) { return running(words).wait(); }
  /// Starts it.
  Process running(const std::string& words) const {
    std::vector<std::string> command{places::kProgram};
    std::istringstream stream(words);
    for (std::string word; stream >> word;) command.push_back(word);
    return {command, folder()};
  }
  void expect_verified() {
    const Outcome outcome = dcmrank("verify " + place());
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }

  HttpClient& client() { return *client_; }

 private:
  json good(const std::string& method, const std::string& path, const std::string& body) {
    const HttpAnswer answer = client_->call(method, path, body);
    EXPECT_EQ(differs_from_openapi(method, path, answer), "") << answer.body;
    EXPECT_EQ(answer.status, 200) << method << " " << path << " " << answer.body;
    return answer.status == 200 ? answer.json() : json::object();
  }

  TemporaryFolder folder_;
  std::string database_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<HttpClient> client_;
};

/// For what is about the files of SQLite and the disk under them, which PostgreSQL has no part in.
class SqliteTest : public ServiceTest {
 protected:
  void SetUp() override {
    if (over_postgres()) GTEST_SKIP() << "is about SQLite";
  }
};

}  // namespace dcmrank::testing
