// Options that are refused: in one line, which says where.
#include <algorithm>
#include <filesystem>

#include "config_test.h"
#include "key_hash.h"

namespace dcmrank::testing {
namespace {

TEST_F(Config, IsRefusedInOneLineThatSaysWhere) {
  refuses("", "c.toml:1:1: the file is empty");
  refuses("\n \n", "c.toml:1:1: the file is empty");
  refuses("max_body = = 3\n", "c.toml:1:12:");
  refuses("data = \"\xff\"\n", "c.toml:1:");
  refuses("\n\nmax_boby = 3\n",
          "c.toml:3:1: there is no option 'max_boby' (did you mean 'max_body'?)");
  refuses("max-body = 3\n", "(did you mean 'max_body'?)");
  refuses("config = \"x\"\n", "c.toml:1:1: there is no option");
  refuses("[limits]\nmax_body = 3\n", "c.toml:1:");
  refuses("max_body = 1\nmax_body = 2\n", "c.toml:2:");
  refuses("\n  max_body = true\n", "c.toml:2:3: max_body is a boolean, not a whole number");
  refuses("max_body = 1.5\n", "max_body is a number with a fraction");
  refuses("max_body = 0\n", "max_body is 0, not a whole number from 1");
  refuses("max_body = -1\n", "max_body is -1");
  refuses("max_body = \"many\"\n", "max_body is 'many'");
  refuses("max_items = \"3\"\n", "c.toml:1:1: max_items is '3', a text, not a whole number");
  refuses("\naccess_log = \"1\"\n", "c.toml:2:1: access_log is '1', a text");
  refuses("\nlog_level = \"debug\"\n",
          "c.toml:2:1: log_level is 'debug', not error, warning or info");
  refuses("socket_mode = \"rw\"\n", "c.toml:1:1: socket_mode is 'rw', not an octal mode");
  refuses("threads = 1025\n", "threads is 1025, not a whole number from 0 to 1024");
  refuses("hold = 30\n", "c.toml:1:1: hold is 30, not a time such as 30m");
  refuses("hold = \"36500d\"\n",
          "hold is '36500d', not a time such as 30m, 45s or 2h, at most 3650d");
  refuses("hold = \"soon\"\n", "hold is 'soon', not a time");
  refuses("listen = 8080\n", "listen is 8080, not a text");
  refuses("listen = [\"a\"]\n", "listen is an array");
  refuses("data = \"a\\u0000b\"\n", "control characters");
  refuses("keys = \"keys\"\n", "keys_file");
  refuses("keys = []\n", "[[keys]]");
  refuses("keys = \"keys\"\n" + key_table("k", "scopes = [\"rank\"]\nmodel = \"*\""),
          "a file of them is keys_file");
  for (const char* file : {"none.toml", "."}) {
    const Outcome outcome = serve({}, {"--config", file});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
  }
}

TEST_F(Config, RefusesKeysWithoutRepeatingThem) {
  const std::string rest = "scopes = [\"rank\"]\nmodel = \"*\"\n";
  refuses("[[keys]]\n", "c.toml:1:1: the key has no hash");
  refuses(key_table("k", "scopes = [\"rank\"]"), "the key has no model");
  refuses(key_table("k", "model = \"*\""), "the key has no scopes");
  refuses("[[keys]]\nhash = \"secret\"\n" + rest, "c.toml:2:1: the key is not 'sha256:'");
  refuses("[[keys]]\nhash = 3\n" + rest, "c.toml:2:1: hash is a whole number");
  refuses(key_table("k", rest + "max_body = 3"), "options go before the first [[keys]]");
  refuses(key_table("k", rest + "expire = 3"), "(did you mean 'expires'?)");
  refuses(key_table("k", "scopes = [\"read\"]\nmodel = \"*\""), "c.toml:3:11: scope 'read'");
  refuses(key_table("k", "scopes = []\nmodel = \"*\""), "scopes is an array, not a list such as");
  refuses(key_table("k", "scopes = [3]\nmodel = \"*\""), "a scope is a whole number");
  refuses(key_table("k", "scopes = [\"rank\"]\nmodel = \"\""), "the model");
  refuses(key_table("k", rest + "name = \"\\n\""), "the name");
  refuses(key_table("k", rest + "rate = -1"), "c.toml:5:1: rate");
  refuses(key_table("k", rest + "burst = \"many\""), "burst");
  refuses(key_table("k", rest + "expires = \"2027-01-31\""), "expires");
  refuses(key_table("k", rest + "expires = 2027-01-31T00:00:00"), "expires");
  refuses(key_table("k", rest + "expires = 0000-01-01T00:00:00+01:00"), "expires");
  write(folder() / "c.toml", key_table("k", rest) + key_table("k", rest));
  const Outcome twice = serve({}, {"--config", "c.toml", "--listen", "127.0.0.1:0"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_NE(twice.err.find("c.toml:6:1: the same key as at c.toml:1:1"), std::string::npos)
      << twice.err;
}

TEST_F(Config, IsRefusedWhereNoFileCouldHoldIt) {
  const Outcome outcome = serve({}, {"--print-config", "--data", "\xff"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("UTF-8"), std::string::npos) << outcome.err;
}

// As a script leaves it whose variable is not set: a folder of its own would keep clicks apart.
TEST_F(Config, IsRefusedWithAnEmptyStore) {
  const Outcome folder = serve({}, {"--listen", "127.0.0.1:0", "--data", ""});
  EXPECT_EQ(folder.status, 2);
  EXPECT_EQ(folder.err, "dcmrank: --data is empty\n");
  const std::vector<std::vector<std::string>> commands{
      {"verify", "--data", ""},
      {"backup", "--out", "x", "--data", ""},
      {"migrate", "--store", "postgresql://h/d", "--from", ""}};
  for (std::vector<std::string> words : commands) {
    words.insert(words.begin(), places::kProgram);
    const Outcome other = Process(words, this->folder()).wait();
    EXPECT_EQ(other.status, 2) << words[1];
    EXPECT_NE(other.err.find("is empty"), std::string::npos) << other.err;
  }
  const Outcome outcome = serve({}, {"--listen", "127.0.0.1:0", "--store", ""});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "dcmrank: --store is empty\n");
}

TEST_F(Config, IsRefusedWhereARequestCouldNeverBeTaken) {
  const auto expect = [&](const std::vector<std::string>& words, const std::string& one,
                          const std::string& other) {
    std::vector<std::string> all{"--listen", "127.0.0.1:0", "--data", "never"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = serve({}, all);
    EXPECT_EQ(outcome.status, 2) << one;
    EXPECT_NE(outcome.err.find(one), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(other), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  expect({"--max-bodies", "1000", "--max-import", "1000"}, "--max-bodies 1000", "--max-body");
  expect({"--max-bodies", "2000000"}, "--max-bodies 2000000", "--max-import");
  expect({"--max-queue", "1000"}, "--max-queue 1000", "--max-body");
  expect({"--max-id", "25"}, "--max-id 25", "26 bytes");
  EXPECT_FALSE(std::filesystem::exists(folder() / "never"));
}

// What libpq quotes may be the password: that it is left out is said.
TEST_F(Config, OfAWrongAddressIsRefusedInAWholeSentence) {
  const Outcome outcome =
      serve({}, {"--listen", "127.0.0.1:0", "--store", "postgresql://u:secret@[::1/db"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err.find("secret"), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("… (the rest may tell the password)\n")) << outcome.err;
}

}  // namespace
}  // namespace dcmrank::testing
