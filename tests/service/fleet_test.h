// Several servers on one PostgreSQL.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "service_test.h"

namespace dcmrank::testing {

class FleetTest : public ServiceTest {
 protected:
  static constexpr const char* kUsers =
      "traffic --problem lb:L=20,K=5,p=0.3,gap=0.2,gamma=0.5 --delay 30ms "
      "--duplicates 0.05 --reordered 0.1 --abandoned 0.2 --late 0.05 --late-after 300ms "
      "--close-after 2s --patience 60s --json result.json ";

  std::string store() const { return "--store " + store_; }

  std::unique_ptr<Server> serve(const std::string& options = "",
                                std::vector<std::string> before = {}) const {
    return std::make_unique<Server>(folder(), store() + " --threads 2 " + options,
                                    std::move(before));
  }
  // On an address that stays: not a port that a client may be given while nobody listens.
  std::unique_ptr<Server> serve_at(std::string& address) const {
    static int port = 20000 + ::getpid() % 10000;
    if (!address.empty()) {
      return std::make_unique<Server>(folder(), store() + " --threads 2",
                                      std::vector<std::string>(), address);
    }
    for (;; ++port) {
      address = "127.0.0.1:" + std::to_string(port);
      auto server = std::make_unique<Server>(folder(), store() + " --threads 2",
                                             std::vector<std::string>(), address);
      ++port;
      if (server->address() == address) return server;
    }
  }
  static std::string urls(const std::vector<std::string>& addresses) {
    std::string text;
    for (const std::string& address : addresses) text += "--url http://" + address + " ";
    return text;
  }
  json result() const { return json::parse(read(folder() / "result.json")); }
  void expect_recounted() {
    const Outcome outcome = dcmrank("verify " + store());
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }
  static json ask(const Server& server, const std::string& method, const std::string& path,
                  const json& body = nullptr) {
    const HttpAnswer answer =
        HttpClient(server.address()).call(method, path, body.is_null() ? "" : body.dump());
    EXPECT_EQ(answer.status, 200) << method << " " << path << " " << answer.body;
    return answer.status == 200 ? answer.json() : json::object();
  }
  static int status_of(const Server& server, const std::string& method, const std::string& path,
                       const std::string& body = "") {
    return HttpClient(server.address()).call(method, path, body).status;
  }

  static void learned_by(const Server& server) {
    const json list =
        ask(server, "POST", "/v1/rank", {{"query", "q"}, {"items", {"x", "y"}}, {"durable", true}});
    const json end = {{"impression", list["impression"]}, {"type", "close"}};
    EXPECT_EQ(ask(server, "POST", "/v1/feedback", end)["results"][0]["status"], "accepted");
  }

  std::string store_;  // the address of the database
};

}  // namespace dcmrank::testing
