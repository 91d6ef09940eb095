#include <array>

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
  refuses("--versoin", {"unknown option '--versoin'", "did you mean '--version'"});
}

TEST_F(Front, SaysInPlainWordsWhatIsWrongWithAnOption) {
  refuses("fit --fromat tsv log", {"unknown option '--fromat'", "did you mean '--format'"});
  refuses("fit log --out", {"--out needs a value: MODEL;", "dcmrank fit --help"});
  refuses("inspect m.json --top 1 --top 2", {"--top is given more than once;"});
  refuses("inspect", {"MODEL is required"});
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
