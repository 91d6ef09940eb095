#include <array>
#include <map>
#include <sstream>

#include "command_test.h"

namespace dcmrank::testing {
namespace {

class Front : public CommandTest {};

constexpr std::array kCommands{"simulate", "bounds", "policies", "reproduce", "fit",
                               "count",    "choose", "evaluate", "generate",  "inspect"};

TEST_F(Front, ExplainsItself) {
  const Outcome outcome = dcmrank("--help");
  EXPECT_EQ(outcome.status, 0);
  for (const char* command : kCommands) {
    EXPECT_NE(outcome.out.find(command), std::string::npos) << command;
  }
}

TEST_F(Front, HasAnExampleInTheHelpOfEveryCommand) {
  for (const char* command : kCommands) {
    const Outcome outcome = dcmrank(std::string(command) + " --help");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("Example:\n  dcmrank " + std::string(command)), std::string::npos)
        << command;
  }
}

TEST_F(Front, TellsItsVersion) { EXPECT_EQ(dcmrank("--version").out.substr(0, 8), "dcmrank "); }

TEST_F(Front, SuggestsTheCommandThatWasMeant) {
  refuses("", {"a command is needed: simulate, ", "dcmrank --help"});
  refuses("simulat", {"unknown command 'simulat'", "did you mean 'simulate'"});
  refuses("predict --help", {"unknown command 'predict'"});
  refuses("simulat --help", {"unknown command 'simulat'", "did you mean 'simulate'"});
  refuses("--versoin", {"unknown option '--versoin'", "did you mean '--version'"});
}

TEST_F(Front, SaysInPlainWordsWhatIsWrongWithAnOption) {
  refuses("fit --fromat tsv log", {"unknown option '--fromat'", "did you mean '--format'"});
  refuses("fit log --format",
          {"--format needs a value: F (yandex2011, yandex2014, jsonl, csv, tsv);"});
  refuses("fit log --out", {"--out needs a value: MODEL;", "dcmrank fit --help"});
  refuses("inspect m.json --top 1 --top 2", {"--top is given more than once;"});
  refuses("inspect", {"MODEL is required"});
}

// As a script leaves them whose variable is not set.
TEST_F(Front, RefusesEmptyValues) {
  for (const char* option : {"--resume", "--save-policies", "--json", "--problem", "--policy"}) {
    const Outcome outcome =
        Process({places::kProgram, "simulate", "--problem", "lb:L=4,K=2,p=0.2,gap=0.1,gamma=0.5",
                 "--policy", "dcm-ts", "--steps", "10", "--runs", "2", option, ""},
                folder())
            .wait();
    EXPECT_EQ(outcome.status, 2) << option;
    EXPECT_EQ(outcome.out, "") << option;
    EXPECT_NE(outcome.err.find(std::string(option) + " is "), std::string::npos) << outcome.err;
  }
  const Outcome inspected = Process({places::kProgram, "inspect", ""}, folder()).wait();
  EXPECT_EQ(inspected.status, 2);
  EXPECT_EQ(inspected.err, "dcmrank: MODEL is empty; see 'dcmrank inspect --help'\n");
  const Outcome untitled =
      Process({places::kProgram, "simulate", "--problem", "lb:L=4,K=2,p=0.2,gap=0.1,gamma=0.5",
               "--policy", "dcm-ts", "--steps", "10", "--plot", "p.svg", "--plot-title", ""},
              folder())
          .wait();
  EXPECT_EQ(untitled.status, 0) << untitled.err;
}

TEST_F(Front, ListsThePolicies) {
  const Outcome outcome = dcmrank("policies");
  EXPECT_EQ(outcome.status, 0);
  for (const char* policy : {"dcm-kl-ucb ", "first-click ", "last-click ", "ranked-kl-ucb ",
                             "ranked-exp3 ", "recommended "}) {
    EXPECT_NE(outcome.out.find(policy), std::string::npos) << policy;
  }
  EXPECT_NE(dcmrank("policies --options").out.find("init: "), std::string::npos);
  EXPECT_GE(json("policies --json -")["policies"].size(), 5U);
  refuses("policies extra", {"'extra'"});
}

TEST_F(Front, MarksWhatTheServiceOffers) {
  const auto policies = json("policies --json -")["policies"];
  std::map<std::string, bool> served;
  for (const auto& policy : policies) served[policy["name"]] = policy["served"];
  EXPECT_TRUE(served.at("ubm-ts"));
  EXPECT_TRUE(served.at("dcm-kl-ucb"));
  EXPECT_FALSE(served.at("robust-ts"));
  EXPECT_FALSE(served.at("toprank"));
  std::istringstream lines(dcmrank("policies").out);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find(' '));
    if (!served.contains(name)) continue;
    EXPECT_EQ(line.find(" served ") != std::string::npos, served[name]) << line;
  }
}

// Who reads has seen enough (head): that is no failure of ours, and nothing to talk about.
TEST_F(Front, EndsQuietlyWhereNobodyReadsOn) {
  write(folder() / "m.tsv", "q\ta,b,c\ta\nq\tb,a,c\tb\n");
  ASSERT_EQ(dcmrank("fit --format tsv m.tsv --out m.json").status, 0);
  for (const std::string words :
       {"policies", "policies --json -", "inspect m.json", "inspect m.json --csv -", "--help",
        "fit --help",
        "generate --problem lb:L=9,K=5,p=0.5,gap=0.3,gamma=0.4 --impressions 20000 --out -"}) {
    // The reader is gone before the first word is written.
    const Outcome outcome = Process({"bash", "-c",
                                     "{ sleep 0.3; " + std::string(places::kProgram) + " " + words +
                                         "; } | true; echo ${PIPESTATUS[0]}"},
                                    folder())
                                .wait();
    EXPECT_EQ(outcome.out, "141\n") << words;
    EXPECT_EQ(outcome.err, "") << words;
  }
}

TEST_F(Front, FailsWhenStdoutIsFull) {
  const Outcome outcome =
      Process({"sh", "-c", std::string(places::kProgram) + " policies --json - >/dev/full"},
              folder())
          .wait();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("stdout"), std::string::npos);
}

}  // namespace
}  // namespace dcmrank::testing
