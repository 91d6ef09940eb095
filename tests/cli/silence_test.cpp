// What used to be taken without a word, and was not what was meant.
#include "log_commands_test.h"

namespace dcmrank::testing {
namespace {

class Silence : public LogCommands {};

TEST_F(Silence, IsNotKeptOfALogThatIsGivenTwice) {
  refuses("fit log.tsv ./log.tsv --out m.json", {"'./log.tsv' is given twice"});
  file("other.tsv", kLog);  // the same pages may be meant
  EXPECT_EQ(dcmrank("fit log.tsv other.tsv --out m.json").status, 0);
}

TEST_F(Silence, IsNotKeptOfOptionsThatDoNothing) {
  refuses("fit log.tsv --model pbm --termination shared --out m.json",
          {"--termination shared", "pbm"});
  file("p.json", R"({"attraction":[0.6,0.5,0.4],"termination":[0.5,0.1]})");
  refuses("simulate --problem p.json --policy dcm-ts --steps 10 --runs 2 --axes logx",
          {"--axes needs --plot"});
}

TEST_F(Silence, IsNotKeptOfAKeyThatIsWrittenTwice) {
  file("p.json", R"({"attraction":[0.6,0.5],"termination":[0.5],"attraction":[0.1,0.2]})");
  refuses("bounds --problem p.json", {"p.json", "\"attraction\" is given twice"});
}

TEST_F(Silence, IsNotKeptOfHelpThatCannotBeWritten) {
  for (const char* words : {"--help", "--version", "fit --help"}) {
    auto run = command(words);
    const Outcome outcome =
        Process({"/bin/sh", "-c", run[0] + " " + words + " >/dev/full"}, folder(), "").wait();
    EXPECT_EQ(outcome.status, 1) << words;
    EXPECT_EQ(outcome.err, "dcmrank: cannot write to stdout\n") << words;
  }
}

TEST_F(Silence, IsNotKeptOfItemsThatAreNotShown) {
  file("m.tsv", "q\ta,b,c\ta\nq\tb,a,c\tb\n");
  ASSERT_EQ(dcmrank("fit --format tsv m.tsv --out m.json").status, 0);
  const std::string text = dcmrank("inspect m.json --items 2").out;
  EXPECT_NE(text.find("3 items, the 2 most shown"), std::string::npos) << text;
  EXPECT_EQ(dcmrank("inspect m.json").out.find("most shown"), std::string::npos);
}

TEST_F(Silence, IsNotKeptOfColumnsForOneRowPerItem) {
  file("odd.csv", "A,B,C,D\nq,a,1,0\nq,b,2,1\n");
  refuses("fit odd.csv --out m.json", {"item=...,click=...,position=..."});
  refuses("fit odd.csv --columns query=A --out m.json",
          {"the columns are", "item=...,click=...,position=..."});
  const Outcome spaced = Process({places::kProgram, "fit", "odd.csv", "--columns",
                                  "query=A, item=B, position=C , click=D", "--out", "m.json"},
                                 folder())
                             .wait();
  EXPECT_EQ(spaced.status, 0) << spaced.err;
}

TEST_F(Silence, IsNotKeptOfAPartThatCouldNotBeMergedAgain) {
  file("p.json", R"({"attraction":[0.6,0.5,0.4],"termination":[0.5,0.1]})");
  const std::string words = "simulate --problem p.json --policy dcm-ts --steps 10 --runs 2 ";
  for (const char* first : {"0", "2", "4"}) {
    const std::string run = first;
    ASSERT_EQ(dcmrank(words + "--first-run " + run + " --json r" + run + ".json").status, 0);
  }
  ASSERT_EQ(dcmrank("merge r2.json r4.json --json later.json").status, 0);
  EXPECT_EQ(dcmrank("merge r0.json later.json --json whole.json").status, 0);
  EXPECT_EQ(json("merge r0.json later.json --json -")["runs"], 6);
}

}  // namespace
}  // namespace dcmrank::testing
