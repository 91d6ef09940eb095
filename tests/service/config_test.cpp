// Options from flags, the environment and a file.
#include "config_test.h"

#include <algorithm>

#include "dcmrank/base/error.h"
#include "dcmrank/configuration/configuration.h"
#include "key_hash.h"

namespace dcmrank::testing {
namespace {

using configuration::Configuration;
using configuration::Option;

// A value that no option has by default.
std::string other_value(const Option& option) {
  if (option.name == "log-level") return "error";
  if (option.name == "socket-mode") return "0660";
  if (std::holds_alternative<configuration::Text>(option.value)) return "a \"b\" \\c é # ]";
  const auto* count = std::get_if<configuration::Count>(&option.value);
  if (std::holds_alternative<configuration::Size>(option.value)) return "77";
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

TEST_F(Config, TakesSizesAsTheDocumentsWriteThem) {
  write(folder() / "c.toml", "cache = \"64MiB\"\nmax_body = \"2 MiB\"\nmax_header = 8192\n");
  const std::string printed =
      print({"DCMRANK_MAX_QUEUE=1GiB"},
            {"--config", "c.toml", "--max-import", "512KiB", "--max-id", "3e3"});
  EXPECT_EQ(line(printed, "cache"), "67108864  # file, line 1");
  EXPECT_EQ(line(printed, "max_body"), "2097152  # file, line 2");
  EXPECT_EQ(line(printed, "max_header"), "8192  # file, line 3");
  EXPECT_EQ(line(printed, "max_queue"), "1073741824  # environment");
  EXPECT_EQ(line(printed, "max_import"), "524288  # flag");
  EXPECT_EQ(line(printed, "max_id"), "3000  # flag");
  EXPECT_EQ(line(print({}, {"--cache", "1024GiB"}), "cache"), "1099511627776  # flag");
  for (const char* wrong : {"64MB", "64M", "MiB", "0KiB", "-1MiB", "1.5GiB", "1025GiB",
                            "18014398509481985KiB", "64  MiB", "64mib"}) {
    const Outcome outcome = serve({}, {"--cache", wrong, "--print-config"});
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_NE(outcome.err.find("or a size such as 64MiB"), std::string::npos) << outcome.err;
  }
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
