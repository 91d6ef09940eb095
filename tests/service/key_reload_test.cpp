// Keys in the configuration file and in the keys file, and how they change while the service runs.
#include <sys/stat.h>

#include "key_hash.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class KeyReload : public ServiceTest {
 protected:
  static std::string table(const std::string& key) {
    return key_table(key, "scopes = [\"admin\"]\nmodel = \"*\"");
  }
  static std::string line(const std::string& key) { return key_line(key, "admin *"); }
  int ask(const std::string& key) { return call("GET", "/v1/models", "", bearer(key)).status; }
  void reload() const { process().signal(SIGHUP); }
  // The files are read one after the other, by every thread at its next request.
  bool is_known(const std::string& key) {
    return eventually([&] { return ask(key) == 200; });
  }
  void expect_old_keys_stay(const std::string& why) {
    const std::size_t before = process().err().size();
    reload();
    EXPECT_TRUE(eventually([&] { return process().err().size() > before; }));
    const std::string said = process().err().substr(before);
    EXPECT_NE(said.find(why), std::string::npos) << said;
    EXPECT_NE(said.find("\"keys_stay\""), std::string::npos) << said;
    EXPECT_EQ(ask("a"), 200);
    EXPECT_EQ(ask("b"), 200);
  }
};

TEST_F(KeyReload, ReadsBothFilesAgain) {
  write(folder() / "c.toml", "keys_file = \"keys\"\n" + table("a"));
  write(folder() / "keys", line("b"));
  start("--config c.toml --threads 2");
  EXPECT_EQ(ask("a"), 200);
  EXPECT_EQ(ask("b"), 200);
  EXPECT_EQ(ask("c"), 401);
  write(folder() / "c.toml", table("c"));  // where the keys file is does not change
  write(folder() / "keys", line("d"));
  reload();
  EXPECT_TRUE(is_known("c"));
  EXPECT_TRUE(is_known("d"));
  for (int n = 0; n < 4; ++n) {  // on connections of every thread
    EXPECT_EQ(ask("a"), 401);
    EXPECT_EQ(ask("b"), 401);
  }
}

TEST_F(KeyReload, KeepsTheOldOnesWhereTheNewOnesAreWrong) {
  const std::string good = "keys_file = \"keys\"\n" + table("a");
  write(folder() / "c.toml", good);
  write(folder() / "keys", line("b"));
  start("--config c.toml");
  write(folder() / "c.toml", good + "[[keys]]\n");
  expect_old_keys_stay("c.toml:6:1");
  write(folder() / "c.toml", good + "x = = 3\n");
  expect_old_keys_stay("c.toml:6:");
  write(folder() / "c.toml", good);
  write(folder() / "keys", line("b") + "secret rank *\n");
  expect_old_keys_stay("keys:2");
  write(folder() / "keys", line("a"));
  expect_old_keys_stay("the same key");
  std::filesystem::remove(folder() / "keys");
  expect_old_keys_stay("cannot read keys");
  EXPECT_EQ(process().err().find("secret"), std::string::npos);
  const HttpAnswer metrics = call("GET", "/metrics", "", bearer("a"));
  EXPECT_NE(metrics.body.find(R"(refusals_total{code="reload"} 5)"), std::string::npos);
}

// A pipe that nobody writes to was waited for by all who serve.
TEST_F(KeyReload, DoesNotWaitForWhatIsNoFile) {
  const std::string good = "keys_file = \"keys\"\n" + table("a");
  const auto make_pipe = [&](const char* name) {
    std::filesystem::remove(folder() / name);
    EXPECT_EQ(::mkfifo((folder() / name).c_str(), 0600), 0);
  };
  write(folder() / "c.toml", good);
  write(folder() / "keys", line("b"));
  start("--config c.toml");
  make_pipe("keys");
  expect_old_keys_stay("cannot read keys: it is no regular file");
  make_pipe("c.toml");
  expect_old_keys_stay("c.toml: it is no regular file");
  EXPECT_EQ(stop().status, 0);
  write(folder() / "good", line("b"));
  for (const std::string option :
       {"--config c.toml", "--keys keys", "--tls-cert keys --tls-key good",
        "--tls-cert c.toml --tls-key good"}) {
    for (const std::string check : {"", " --check"}) {
      const Outcome outcome = running("serve --listen 127.0.0.1:0 " + option + check).wait();
      EXPECT_EQ(outcome.status, 2) << option;
      EXPECT_NE(outcome.err.find("it is no regular file"), std::string::npos) << outcome.err;
    }
  }
}

TEST_F(KeyReload, NeverLetsEverybodyIn) {
  write(folder() / "c.toml", "max_body = 1000\n" + table("a") + table("b"));
  start("--config c.toml");
  write(folder() / "c.toml", "max_body = 1000\n");
  expect_old_keys_stay("no key is left");
  EXPECT_EQ(call("GET", "/v1/models").code(), "no_key");
}

TEST_F(KeyReload, MayAskForKeysWhereThereWereNone) {
  write(folder() / "c.toml", "max_body = 1000\n");
  start("--config c.toml");
  EXPECT_EQ(call("GET", "/v1/models").status, 200);
  write(folder() / "c.toml", table("a"));
  reload();
  EXPECT_TRUE(eventually([&] { return call("GET", "/v1/models").status == 401; }));
  EXPECT_EQ(ask("a"), 200);
}

TEST_F(KeyReload, OfTheConfigurationFileLetOthersListen) {
  write(folder() / "c.toml", table("a"));
  Server server(folder(), place() + " --config c.toml", {}, "0.0.0.0:0");
  EXPECT_NE(server.address(), "");
  EXPECT_EQ(server.stop().status, 0);
}

// What the file says now and a running service does not do.
TEST_F(KeyReload, NamesOptionsThatNeedARestart) {
  const auto reloaded = [&] {
    const std::size_t before = process().err().size();
    reload();
    EXPECT_TRUE(
        eventually([&] { return process().err().find('\n', before) != std::string::npos; }));
    return process().err().substr(before);
  };
  write(folder() / "c.toml", "max_items = 100\nkeys_file = \"keys\"\nhold = \"1m\"\n");
  write(folder() / "keys", line("a"));
  start("--config c.toml --hold 3m");
  std::string said = reloaded();
  EXPECT_NE(said.find("\"reloaded\""), std::string::npos) << said;
  EXPECT_EQ(said.find("needs_restart"), std::string::npos) << said;
  // The flag counts before the file, before and after.
  write(folder() / "c.toml",
        "listen = \"127.0.0.1:1\"\nmax_items = 101\nkeys_file = \"others\"\nhold = \"2m\"\n");
  said = reloaded();
  EXPECT_NE(said.find("\"reloaded\""), std::string::npos) << said;
  EXPECT_NE(said.find("\"needs_restart\":\"keys_file, max_items\""), std::string::npos) << said;
  write(folder() / "c.toml", "close_after = \"30m\"\n");  // all are what they are by default
  said = reloaded();
  EXPECT_NE(said.find("\"needs_restart\":\"keys_file, max_items\""), std::string::npos) << said;
}

}  // namespace
}  // namespace dcmrank::testing
