// Options from flags, the environment and a file.
#include <algorithm>

#include "dcmrank/base/error.h"
#include "dcmrank/configuration/configuration.h"
#include "key_hash.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

using configuration::Configuration;
using configuration::Option;

class Config : public ServiceTest {
 protected:
  Outcome serve(std::vector<std::string> environment, const std::vector<std::string>& words) {
    environment.insert(environment.begin(), "env");
    environment.insert(environment.end(), {places::kProgram, "serve"});
    environment.insert(environment.end(), words.begin(), words.end());
    return Process(environment, folder()).wait();
  }
  std::string print(const std::vector<std::string>& environment, std::vector<std::string> words) {
    words.emplace_back("--print-config");
    const Outcome outcome = serve(environment, words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  // The line of an option, with where its value comes from.
  static std::string line(const std::string& printed, const std::string& name) {
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(name + " = ")) return line.substr(name.size() + 3);
    }
    return "";
  }
  static std::string without_comments(const std::string& printed) {
    std::istringstream lines(printed);
    std::string text;
    for (std::string line; std::getline(lines, line);)
      text += line.substr(0, line.find("  #")) + "\n";
    return text;
  }
  void refuses(const std::string& text, const std::string& part) {
    write(folder() / "c.toml", text);
    const Outcome outcome = serve({}, {"--config", "c.toml", "--print-config"});
    EXPECT_EQ(outcome.status, 2) << text;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << text << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
};

// A value that no option has by default.
std::string other_value(const Option& option) {
  if (option.name == "log-level") return "error";
  if (option.name == "socket-mode") return "0660";
  if (std::holds_alternative<configuration::Text>(option.value)) return "a \"b\" \\c é # ]";
  const auto* count = std::get_if<configuration::Count>(&option.value);
  return count == nullptr ? "77ms" : std::to_string(std::min<std::uint64_t>(77, count->most));
}

TEST_F(Config, TakesFlagsBeforeTheEnvironmentBeforeTheFile) {
  write(folder() / "c.toml",
        "data = \"of-file\"\nmax_body = 11\n\nhold = \"11s\"\nkeep = \"11d\"\n");
  std::string printed = print({}, {"--config", "c.toml"});
  EXPECT_EQ(line(printed, "data"), "\"of-file\"  # file, line 1");
  EXPECT_EQ(line(printed, "max_body"), "11  # file, line 2");
  EXPECT_EQ(line(printed, "hold"), "\"11s\"  # file, line 4");
  EXPECT_EQ(line(printed, "threads"), "0  # default");
  const std::vector<std::string> environment{"DCMRANK_DATA=of-environment", "DCMRANK_MAX_BODY=22",
                                             "DCMRANK_HOLD=22s", "DCMRANK_KEEP="};
  printed = print(environment, {"--config", "c.toml"});
  EXPECT_EQ(line(printed, "data"), "\"of-environment\"  # environment");
  EXPECT_EQ(line(printed, "max_body"), "22  # environment");
  EXPECT_EQ(line(printed, "hold"), "\"22s\"  # environment");
  EXPECT_EQ(line(printed, "keep"), "\"11d\"  # file, line 5");  // empty: not there
  printed = print(environment, {"--config", "c.toml", "--data", "of-flag", "--max-body", "1e6",
                                "--hold", "33s"});
  EXPECT_EQ(line(printed, "data"), "\"of-flag\"  # flag");
  EXPECT_EQ(line(printed, "max_body"), "1000000  # flag");
  EXPECT_EQ(line(printed, "hold"), "\"33s\"  # flag");
}

TEST_F(Config, IsPrintedAsAFileThatSaysTheSameForEveryOption) {
  std::vector<std::string> flags;
  std::vector<std::string> environment;
  const Configuration defaults;
  for (const Option& option : defaults.table()) {
    EXPECT_NE(print_text(option), other_value(option)) << option.name;
    if (option.name == "data") continue;  // or --store
    flags.insert(flags.end(), {flag_of(option), other_value(option)});
    environment.push_back(variable_of(option) + "=" + other_value(option));
  }
  const std::string printed = print({}, flags);
  write(folder() / "c.toml", printed);
  const std::string again = print({}, {"--config", "c.toml"});
  EXPECT_EQ(without_comments(again), without_comments(printed));
  EXPECT_EQ(without_comments(print(environment, {})), without_comments(printed));
  Configuration read;
  read.read_file(folder() / "c.toml");
  for (const Option& option : read.table()) {
    if (option.name == "data") continue;
    EXPECT_EQ(print_text(option), other_value(option)) << option.name;
    EXPECT_NE(line(again, line_of(option)).find("  # file, line "), std::string::npos)
        << option.name;
    EXPECT_TRUE(line(printed, line_of(option)).ends_with("  # flag")) << option.name;
  }
}

TEST_F(Config, IsPrintedWithItsDefaultsAndKeys) {
  const std::string defaults = print({}, {});
  write(folder() / "c.toml",
        defaults +
            key_table("k",
                      "scopes = [\"admin\", \"rank\"]\nmodel = \"*\"\nname = \"my \\\"shop\\\"\"\n"
                      "expires = 2027-01-31T02:00:00+02:00\nrate = 3\nburst = 4\nheld = 5") +
            key_table("l", "scopes = [\"feedback\"]\nmodel = \"shop\"\nexpires = 2027-01-31"));
  const std::string printed = print({}, {"--config", "c.toml"});
  EXPECT_EQ(line(printed, "expires"), "2027-01-31T00:00:00Z");
  EXPECT_EQ(line(printed, "scopes"), R"(["rank", "admin"])");
  EXPECT_NE(printed.find("\nname = \"" + hash_of("l").substr(7, 8) + "\"\n"), std::string::npos);
  write(folder() / "d.toml", printed);
  EXPECT_EQ(print({}, {"--config", "d.toml"}).substr(defaults.size() / 2),
            printed.substr(defaults.size() / 2));
  EXPECT_EQ(print({"DCMRANK_CONFIG=d.toml"}, {}), print({}, {"--config", "d.toml"}));
}

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

TEST_F(Config, NotesVariablesThatNoOptionHas) {
  const std::vector<std::string> words{"--print-config"};
  const Outcome unknown = serve({"DCMRANK_MAX_BOBY=3"}, words);
  EXPECT_EQ(unknown.status, 0);
  EXPECT_NE(unknown.err.find("DCMRANK_MAX_BOBY"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("DCMRANK_MAX_BODY"), std::string::npos) << unknown.err;
  const Outcome others = serve({"DCMRANK_KEY=secret", "DCMRANK_SERVICE_HOST=10.0.0.1",
                                "DCMRANK_PORT=tcp://10.0.0.1:80", "DCMRANK_PORT_80_TCP=x"},
                               words);
  EXPECT_EQ(others.status, 0);
  EXPECT_EQ(others.err, "");
  const Outcome wrong = serve({"DCMRANK_MAX_BODY=many"}, words);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("DCMRANK_MAX_BODY is 'many'"), std::string::npos) << wrong.err;
}

// A flag that has two names has two variables.
TEST_F(Config, TakesTheVariableOfEveryNameOfAFlag) {
  const Configuration defaults;
  std::size_t tried = 0;
  for (const Option& option : defaults.table()) {
    const std::string former = former_variable_of(option);
    if (former.empty()) continue;
    ++tried;
    const std::string printed = print({former + "=" + other_value(option)}, {});
    EXPECT_TRUE(line(printed, line_of(option)).ends_with("  # environment")) << former;
    const Outcome outcome = serve({former + "=a", variable_of(option) + "=b"}, {"--print-config"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "dcmrank: " + variable_of(option) + " and " + former +
                               " are the same option: set one of them\n");
    EXPECT_EQ(serve({former + "=", variable_of(option) + "=b"}, {"--print-config"}).status, 0);
  }
  EXPECT_GT(tried, 0U);
}

TEST_F(Config, NotesTimesThatAnotherOverrules) {
  const auto notes = [&](std::vector<std::string> words) {
    words.emplace_back("--check");
    const Outcome outcome = serve({}, words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.err;
  };
  EXPECT_EQ(notes({}), "");
  EXPECT_EQ(notes({"--keep", "1d", "--correct-for", "1d", "--keep-unused", "2d"}), "");
  const std::string short_keep = notes({"--keep", "1h"});
  EXPECT_NE(short_keep.find("--keep 1h is less than --correct-for 1d"), std::string::npos)
      << short_keep;
  const std::string unused = notes({"--keep-unused", "1h"});
  EXPECT_NE(unused.find("--keep-unused 1h"), std::string::npos) << unused;
  EXPECT_NE(unused.find("after 8d"), std::string::npos) << unused;
  start("--keep 1h --log log");
  EXPECT_NE(read(folder() / "log").find("--keep 1h is less"), std::string::npos);
  EXPECT_NE(stop().err.find("--keep 1h is less"), std::string::npos);
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

// What a start would refuse, said without one.
TEST_F(Config, IsCheckedWithoutAStart) {
  const auto check = [&](std::vector<std::string> words, const std::string& fault) {
    words.insert(words.end(), {"--check", "--data", "never"});
    const Outcome outcome = serve({}, words);
    EXPECT_EQ(outcome.status, fault.empty() ? 0 : 2) << fault << outcome.err;
    EXPECT_NE(outcome.err.find(fault), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, fault.empty() ? "no fault found\n" : "");
  };
  write(folder() / "keys", key_line("k", "rank *"));
  check({}, "");
  check({"--listen", "0.0.0.0:80", "--keys", "keys"}, "");
  check({"--listen", "0.0.0.0:80"}, "without --keys");
  check({"--listen", "nowhere", "--keys", "keys"}, "--listen is 'nowhere'");
  check({"--keys", "none"}, "none");
  check({"--log-level", "debug"}, "--log-level is 'debug'");
  check({"--tls-cert", "none.pem", "--tls-key", "none.key"}, "--tls-cert none.pem");
  check({"--max-queue", "1000"}, "--max-queue 1000");
  check({"--socket-mode", "0600"}, "--listen unix:PATH");
  check({"--listen", "unix:"}, "without the path of a socket");
  check({"--listen", "unix:/tmp/" + std::string(200, 'x')}, "has at most 107 bytes, not 205");
  check({"--print-config"}, "excludes");
  EXPECT_FALSE(std::filesystem::exists(folder() / "never"));
}

TEST_F(Config, ThatCannotListenLeavesNoDatabase) {
  start();
  for (const std::string& words :
       {"--listen " + address(), std::string("--listen 127.0.0.1:0 --tls-cert no --tls-key no")}) {
    EXPECT_EQ(dcmrank("serve --data never " + words).status, 2) << words;
    EXPECT_FALSE(std::filesystem::exists(folder() / "never")) << words;
  }
}

TEST_F(Config, IsPrintedWithoutThePasswordOfTheDatabase) {
  const std::string place = "postgresql://u:secret@h/d?sslmode=require";
  for (const std::string& printed :
       {print({}, {"--store", place}), print({"DCMRANK_STORE=" + place}, {}),
        print({}, {"--store", "postgres:/u:secret@h"})}) {
    EXPECT_EQ(printed.find("secret"), std::string::npos) << printed;
    EXPECT_NE(line(printed, "store").find(", without its password"), std::string::npos);
  }
  EXPECT_EQ(line(print({}, {"--store", place}), "store"),
            "\"postgresql://u@/d?host=h&sslmode=require\"  # flag, without its password");
  EXPECT_EQ(line(print({}, {"--store", "postgresql://u@h/d"}), "store"),
            "\"postgresql://u@h/d\"  # flag");
}

// What libpq quotes may be the password: that it is left out is said.
TEST_F(Config, OfAWrongAddressIsRefusedInAWholeSentence) {
  const Outcome outcome =
      serve({}, {"--listen", "127.0.0.1:0", "--store", "postgresql://u:secret@[::1/db"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err.find("secret"), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("… (the rest may tell the password)\n")) << outcome.err;
}

// Flags before the environment before the file, whichever of the two it is.
TEST_F(Config, KeepsEverythingInOnePlace) {
  const auto place = [&](const std::vector<std::string>& environment,
                         const std::vector<std::string>& words) {
    return line(print(environment, words), "store");
  };
  write(folder() / "data.toml", "data = \"of-file\"\n");
  write(folder() / "store.toml", "store = \"postgresql://h/f\"\n");
  write(folder() / "both.toml", "data = \"of-file\"\nstore = \"postgresql://h/f\"\n");
  EXPECT_EQ(place({"DCMRANK_STORE=postgresql://h/e"}, {"--data", "d"}),
            "\"\"  # environment, but data counts before it");
  EXPECT_EQ(place({"DCMRANK_DATA=d"}, {"--config", "store.toml"}),
            "\"\"  # file, line 1, but data counts before it");
  EXPECT_EQ(place({"DCMRANK_DATA=d"}, {"--store", "postgresql://h/d"}),
            "\"postgresql://h/d\"  # flag");
  EXPECT_EQ(place({"DCMRANK_STORE=postgresql://h/e"}, {"--config", "data.toml"}),
            "\"postgresql://h/e\"  # environment");
  EXPECT_EQ(place({}, {"--config", "both.toml"}), "\"postgresql://h/f\"  # file, line 2");
  const Outcome outcome = serve({}, {"--data", "d", "--store", "postgresql://h/d"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "dcmrank: --data and --store exclude each other\n");
}

TEST_F(Config, IsWhatTheServiceDoes) {
  write(folder() / "c.toml", "max_items = 2\n");
  start("--config c.toml", {"env", "DCMRANK_MAX_ID=26"});
  const auto asks = [&](const std::string& query, const std::vector<std::string>& items) {
    return call("POST", "/v1/rank", json{{"query", query}, {"items", items}}.dump()).code();
  };
  EXPECT_EQ(asks("q", {"a", "b", "c"}), "too_many_items");
  EXPECT_EQ(asks(std::string(27, 'q'), {"a"}), "bad_field");
  EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a","b"]})").status, 200);
}

}  // namespace
}  // namespace dcmrank::testing
