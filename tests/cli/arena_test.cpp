#include <chrono>
#include <csignal>
#include <set>
#include <string>
#include <thread>

#include "command_test.h"

namespace dcmrank::testing {
namespace {

class ArenaCommand : public CommandTest {
 protected:
  static inline const std::string kTiny = " --steps 200 --runs 2 --threads 2 ";

  std::size_t cells(const std::string& out = "arena") const {
    std::size_t n = 0;
    if (!std::filesystem::exists(folder() / out / "cells")) return 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder() / out / "cells")) {
      n += entry.path().filename().string().front() == '.' ? 0 : 1;
    }
    return n;
  }

  nlohmann::ordered_json result(const std::string& out = "arena") const {
    return nlohmann::ordered_json::parse(content(out + "/arena.json"));
  }
};

TEST_F(ArenaCommand, WritesTheTableThePictureAndThePage) {
  file("mine.json", R"({"model":"pbm","attraction":[0.6,0.5,0.4,0.1],"examination":[1,0.5]})");
  const Outcome outcome = dcmrank(
      "arena --world mine.json --world lb:L=8,K=2,p=0.3,gap=0.2,gamma=0.5 --random ubm:2" + kTiny);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = result();
  EXPECT_EQ(json["format"], "dcmrank.arena");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["policies"].size(), 6U);
  EXPECT_EQ(json["policies"][0], "recommended");
  std::set<std::string> worlds;
  for (const auto& world : json["worlds"]) {
    worlds.insert(world["world"]);
    EXPECT_EQ(world["policies"].size(), 6U);
    EXPECT_EQ(world["policies"][1]["as_run"], "dcm-ts:order=problem");
    EXPECT_EQ(world["policies"][4]["as_run"], "pbm-ts:examination=problem");
    EXPECT_EQ(outcome.out.find(world["world"].get<std::string>()) == std::string::npos, false);
    double best = 1e9;
    for (const auto& policy : world["policies"]) {
      best = std::min(best, policy["times_best"]["mean"].get<double>());
      EXPECT_NEAR(
          policy["net_regret"]["mean"].get<double>(),
          policy["regret"]["mean"].get<double>() - world["best_sorted"]["regret"].get<double>(),
          1e-9);
    }
    EXPECT_EQ(best, 1);
  }
  EXPECT_EQ(worlds, (std::set<std::string>{"mine", "lb:L=8,K=2,p=0.3,gap=0.2,gamma=0.5", "ubm-1",
                                           "ubm-2"}));
  EXPECT_EQ(json["summary"].size(), 24U);  // three kinds and all
  EXPECT_TRUE(json["summary"].back()["kind"].is_null());
  const std::string csv = content("arena/arena.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 25);
  EXPECT_NE(content("arena/arena.svg").find("ubm-2"), std::string::npos);
  const std::string page = content("arena/arena.html");
  for (const char* text : {"<svg", "ubm-2", "does not hold", "alpha1", "dcmrank arena --world"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  for (const char* text :
       {"A policy holds in a world if", "found by exchanges", "(1) recommended"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
  }
}

TEST_F(ArenaCommand, GivesTheSameBytesOnAnyNumberOfThreadsAndFromWhatIsKept) {
  const std::string words = "arena --random dcm:2 --random ccm:1 --steps 200 --runs 3 ";
  ASSERT_EQ(dcmrank(words + "--threads 1 --out a").status, 0);
  ASSERT_EQ(dcmrank(words + "--threads 3 --out b").status, 0);
  EXPECT_EQ(content("a/arena.json"), content("b/arena.json"));
  EXPECT_EQ(content("a/arena.csv"), content("b/arena.csv"));
  EXPECT_EQ(cells("a"), 18U);
  const std::string json = content("a/arena.json");
  for (const auto& entry : std::filesystem::directory_iterator(folder() / "a/cells")) {
    write(entry.path(), "{\"damaged\":");
    break;
  }
  ASSERT_EQ(dcmrank(words + "--out a").status, 0);
  EXPECT_EQ(content("a/arena.json"), json);
  ASSERT_EQ(dcmrank(words + "--out a --seed 2").status, 0);
  EXPECT_EQ(cells("a"), 36U);
  EXPECT_NE(content("a/arena.json"), json);
  ASSERT_EQ(dcmrank(words + "--out a --fresh").status, 0);
  EXPECT_EQ(cells("a"), 18U);
  EXPECT_EQ(content("a/arena.json"), json);
}

TEST_F(ArenaCommand, RefusesToCountAWorldTwice) {
  const auto refused = [&](const std::string& words, const char* why) {
    const Outcome outcome = dcmrank("arena " + words + kTiny);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  };
  refused("--world lb:L=8,K=2,p=0.3,gap=0.2,gamma=0.5 --world lb:L=8,K=2,p=0.3,gap=0.2,gamma=0.5",
          "is given twice");
  refused("--random ubm:2 --random ubm:3", "the kind is given twice");
}

TEST_F(ArenaCommand, DrawsTheSameWorldsWhateverTheirCount) {
  ASSERT_EQ(dcmrank("arena --random ubm:3 --policy dcm-ts --out a" + kTiny).status, 0);
  ASSERT_EQ(dcmrank("arena --random dbn:1 --random ubm:1 --policy dcm-ts --out b" + kTiny).status,
            0);
  EXPECT_EQ(result("a")["worlds"][0]["problem"], result("b")["worlds"][1]["problem"]);
  ASSERT_EQ(dcmrank("arena --random ubm:1 --world-seed 2 --policy dcm-ts --out c" + kTiny).status,
            0);
  EXPECT_NE(result("a")["worlds"][0]["problem"], result("c")["worlds"][0]["problem"]);
}

TEST_F(ArenaCommand, TakesTheMostFrequentQueriesOfAModel) {
  std::string log;
  for (int i = 0; i < 60; ++i) log += "shoes\ta,b,c\tb\nsocks\tg\tg\n";
  for (int i = 0; i < 90; ++i) log += "shirts\td,e,f\t\nhats\th,i\ti\nhats\ti,h\t\n";
  file("log.tsv", log);
  ASSERT_EQ(dcmrank("fit --format tsv log.tsv --model pbm --method em --out model.json").status, 0);
  ASSERT_EQ(dcmrank("arena --model model.json --top 2 --policy dcm-ts" + kTiny).status, 0);
  ASSERT_EQ(result()["worlds"].size(), 2U);
  EXPECT_EQ(result()["worlds"][0]["world"], "query hats");
  EXPECT_EQ(result()["worlds"][1]["world"], "query shirts");
  EXPECT_EQ(result()["worlds"][1]["kind"], "pbm");
}

TEST_F(ArenaCommand, CallsPoliciesByOtherNamesInItsPictureAndLatex) {
  ASSERT_EQ(dcmrank("arena --random dcm:1 --policy dcm-ts --policy toprank --name dcm-ts=TS" +
                    kTiny + "--table-latex t.tex --out a")
                .status,
            0);
  EXPECT_NE(content("a/arena.svg").find(">TS<"), std::string::npos);
  EXPECT_NE(content("t.tex").find("(1) TS, (2) toprank"), std::string::npos) << content("t.tex");
  EXPECT_NE(content("a/arena.csv").find("dcm-ts"), std::string::npos);
  refuses("arena --random dcm:1 --policy dcm-ts --name ts=TS" + kTiny, {"--name is 'ts'"});
}

TEST_F(ArenaCommand, CountsUsersByTheRewardAskedFor) {
  const std::string words = "arena --random ccm:1 --policy dcm-ts" + kTiny;
  const auto usual = json(words + "--json - --out a");
  const auto satisfied = json(words + "--reward satisfaction --json - --out b");
  EXPECT_EQ(usual["reward"], "usual");
  EXPECT_EQ(satisfied["reward"], "satisfaction");
  EXPECT_EQ(usual["worlds"][0]["reward_kind"], "clicks");
  EXPECT_EQ(satisfied["worlds"][0]["reward_kind"], "satisfaction");
  EXPECT_NE(content("a/arena.csv").find(",usual,clicks,"), std::string::npos);
  EXPECT_NE(usual["worlds"][0]["policies"][0]["regret"],
            satisfied["worlds"][0]["policies"][0]["regret"]);
  EXPECT_EQ(nlohmann::ordered_json::parse(content("a/arena.json")), usual);
}

TEST_F(ArenaCommand, TellsTheOrderOfPositionsUnlessToldOtherwise) {
  file("w.json", R"({"attraction":[0.6,0.5,0.4,0.1],"termination":[0.1,0.8]})");
  const auto regret = [&](const std::string& words) {
    return json("arena --world w.json --json - " + words +
                kTiny)["worlds"][0]["policies"][0]["regret"];
  };
  EXPECT_EQ(regret("--policy dcm-ts"), regret("--policy dcm-ts:order=2,1"));
  EXPECT_EQ(regret("--policy dcm-ts --order top"), regret("--policy dcm-ts:order=1,2"));
  EXPECT_NE(regret("--policy dcm-ts --order top"), regret("--policy dcm-ts"));
  // Every output says which.
  for (const auto& [option, said] :
       {std::pair{"told", "were told the"}, std::pair{"top", "were not told the order"}}) {
    const Outcome outcome =
        dcmrank(std::string("arena --world w.json --table-latex t.tex --order ") + option + kTiny);
    EXPECT_NE(outcome.out.find(said), std::string::npos) << outcome.out;
    EXPECT_NE(content("t.tex").find(said), std::string::npos) << content("t.tex");
  }
}

TEST_F(ArenaCommand, SaysWhereItIsTooShortToTell) {
  const auto says = [&](const std::string& steps) {
    const Outcome outcome = dcmrank(
        "arena --random dcm:1 --policy dcm-ts --runs 2 --table-latex t.tex --fresh --steps " +
        steps);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const bool printed = outcome.out.find("Too short to tell") != std::string::npos;
    for (const std::string& other : {content("arena/arena.html"), content("t.tex")}) {
      EXPECT_EQ(other.find("Too short to tell") != std::string::npos, printed);
    }
    return printed;
  };
  EXPECT_TRUE(says("500"));
  EXPECT_FALSE(says("10000"));
}

// Colours tell the multiple alone; linear runs are the other half of the rule.
TEST_F(ArenaCommand, SaysByWhichSignsOfItsPictureAPolicyHolds) {
  ASSERT_EQ(dcmrank("arena --random dcm:1 --policy dcm-ts" + kTiny).status, 0);
  const std::string page = content("arena/arena.html");
  EXPECT_NE(page.find("a policy holds where it is blue and has no triangle"), std::string::npos);
  EXPECT_NE(page.find("has linear runs: does not hold"), std::string::npos);
  EXPECT_EQ(page.find("(the rule)"), std::string::npos);
}

TEST_F(ArenaCommand, KeepsWhatIsFinishedWhenInterrupted) {
  Process process(command("arena --random dcm:4 --steps 200000 --runs 4 --threads 1"), folder());
  while (cells() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  process.signal(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(outcome.err, "dcmrank: interrupted; the same command resumes with what is left\n");
  EXPECT_GE(cells(), 1U);
  EXPECT_LT(cells(), 16U);
  EXPECT_FALSE(std::filesystem::exists(folder() / "arena/arena.json"));
}

TEST_F(ArenaCommand, IsDoneInParts) {
  const std::string what =
      "arena --random dcm:2 --random pbm:1 --policy dcm-ts --policy dcm-kl-ucb --steps 200 "
      "--runs 2 ";
  ASSERT_EQ(dcmrank(what + "--out whole").status, 0);
  ASSERT_EQ(dcmrank(what + "--out parts --part 2/2").status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder() / "parts/arena.csv"));
  ASSERT_EQ(dcmrank(what + "--out parts --part 1/2").status, 0);
  ASSERT_EQ(dcmrank(what + "--out parts").status, 0);
  EXPECT_EQ(content("parts/arena.csv"), content("whole/arena.csv"));
}

TEST_F(ArenaCommand, RefusesWhatItCannotDo) {
  refuses("arena --random dcm:1 --part 0/2", {"--part is '0/2'"});
  refuses_empty("arena --random dcm:1 --part");
  refuses("arena --random dcm:1 --part 1/2 --json -", {"--json writes nothing with --part"});
  refuses("arena", {"no world", "--world, --model or --random"});
  refuses("arena --random dcm", {"--random", "'dcm'", "KIND:COUNT"});
  refuses("arena --random dcn:2", {"--random", "'dcn'", "did you mean 'dcm'"});
  refuses("arena --random dcm:0", {"--random", "'0'"});
  refuses("arena --random dcm:x", {"--random", "'x'"});
  refuses("arena --world none.json", {"none.json"});
  refuses("arena --model none.json", {"none.json"});
  refuses("arena --random dcm:1 --top 3", {"--top needs --model"});
  refuses("arena --world lb:L=8,K=2,p=0.3,gap=0.2,gamma=0.5 --world-seed 3",
          {"--world-seed needs --random"});
  refuses("arena --random dcm:1 --policy dcm-tx", {"'dcm-tx'", "did you mean 'dcm-ts'"});
  refuses("arena --random pbm:1 --policy dcm-ts:terminations=problem", {"DCM users"});
  refuses("arena --random pbm:1 --reward satisfaction", {"--reward", "pbm"});
  refuses("arena --random pbm:1 --order best", {"--order", "'best'", "told, top"});
  refuses("arena --random pbm:1 --steps 0", {"--steps is '0'"});
  refuses("arena --random pbm:1 --runs 1.5", {"--runs is '1.5'"});
  refuses("arena --random pbm:1 --seed x", {"--seed is 'x'"});
  refuses("arena --random pbm:1 --world-seed -1", {"--world-seed is '-1'"});
  file("plain", "");
  refuses("arena --random pbm:1 --out plain", {"--out 'plain'"});
  file("w.json", "{}");
  refuses("arena --world w.json", {"w.json", "attraction"});
}

}  // namespace
}  // namespace dcmrank::testing
