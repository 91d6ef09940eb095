// What a log showed a few times only is left out of worlds where --min-shown asks for it.
#include <algorithm>

#include <fmt/format.h>

#include "command_test.h"

namespace dcmrank::testing {
namespace {

class MinShown : public CommandTest {
 protected:
  // Lists of two. Of query q, items d and e were shown once or twice; of r, only one item often.
  void SetUp() override {
    file("m.json", R"({"model":"dcm","method":"em","positions":2,"queries":[
      {"query":"q","impressions":100,"termination":[0.5,0.4],"items":[
        {"item":"a","attraction":0.5,"impressions":100},
        {"item":"b","attraction":0.2,"impressions":60},
        {"item":"c","attraction":0.1,"impressions":20},
        {"item":"d","attraction":0.67,"impressions":2},
        {"item":"e","attraction":0.6,"impressions":1}]},
      {"query":"r","impressions":90,"termination":[0.5,0.4],"items":[
        {"item":"x","attraction":0.5,"impressions":100},
        {"item":"y","attraction":0.3,"impressions":19}]}]})");
    file("uncounted.json", R"({"model":"dcm","method":"em","positions":1,"queries":[
      {"query":"q","impressions":9,"termination":[0.5],"items":[
        {"item":"a","attraction":0.5},{"item":"b","attraction":0.2}]}]})");
  }

  void expect_said(const std::string& err, const std::string& said) {
    EXPECT_NE(err.find(said), std::string::npos) << said << "\nnot in: " << err;
  }
};

TEST_F(MinShown, OfSimulateLeavesOutItemsAndIsTheRemedyThatTheNoteNames) {
  const std::string words =
      "simulate --problem m.json --query q --policy dcm-ts --steps 50 --runs 2 --json - ";
  expect_said(dcmrank(words).err,
              "2 of 5 items were shown fewer than 20 times: their attractions are guesses; "
              "--min-shown 20 leaves them out");
  const Outcome limited = dcmrank(words + "--min-shown 20");
  EXPECT_EQ(limited.status, 0) << limited.err;
  expect_said(limited.err, "2 of 5 items, shown fewer than 20 times, are left out");
  EXPECT_EQ(limited.err.find("guesses"), std::string::npos) << limited.err;
  const auto attraction = [&](const std::string& more) {
    return json(words + more)["problem"]["attraction"];
  };
  EXPECT_EQ(attraction("--min-shown 20"), (nlohmann::ordered_json{.5, .2, .1}));
  EXPECT_EQ(attraction("--min-shown 2"), (nlohmann::ordered_json{.5, .2, .1, .67}));
  EXPECT_EQ(attraction("--min-shown 0").size(), 5U);
  EXPECT_EQ(dcmrank(words + "--min-shown 0").err, dcmrank(words).err);
}

TEST_F(MinShown, RefusesWhatCannotBeKnownOrLeavesTooFew) {
  const std::string words = "simulate --policy dcm-ts --steps 50 --runs 2 --problem ";
  refuses(words + "m.json --query q --min-shown 61",
          {"m.json, query 'q'", "min-shown 61 leaves 1 of 5 items", "2 positions"});
  refuses(words + "uncounted.json --min-shown 1", {"uncounted.json", "min-shown", "how often"});
  refuses(words + "lb:L=4,K=2,p=0.2,gap=0.1,gamma=0.5 --min-shown 1", {"--min-shown", "model"});
  refuses(words + "m.json --query q --min-shown x", {"--min-shown", "'x'"});
  refuses("arena --random dcm:1 --min-shown 3", {"--min-shown", "--model"});
  // Too few would remain of r: the note does not name what would be refused.
  const std::string err = dcmrank(words + "m.json --query r").err;
  expect_said(err, "guesses");
  EXPECT_EQ(err.find("--min-shown"), std::string::npos) << err;
}

TEST_F(MinShown, OfSimulateIsAnotherSimulationThanTheOneThatWasKept) {
  const std::string words =
      "simulate --problem m.json --query q --policy dcm-ts --steps 50 --runs 2 --resume kept.runs ";
  EXPECT_EQ(dcmrank(words).status, 0);
  const Outcome other = dcmrank(words + "--min-shown 20");
  EXPECT_EQ(other.status, 2);
  expect_said(other.err, "\"problem\" differs");
}

TEST_F(MinShown, OfBoundsIsAboutTheSmallerProblem) {
  const Outcome all = dcmrank("bounds --problem m.json --query q");
  EXPECT_NE(all.out.find("L = 5, K = 2"), std::string::npos) << all.out << all.err;
  const Outcome limited = dcmrank("bounds --problem m.json --query q --min-shown 20");
  EXPECT_NE(limited.out.find("L = 3, K = 2"), std::string::npos) << limited.out << limited.err;
}

TEST_F(MinShown, OfGenerateShowsTheOtherItemsAlone) {
  const auto generate = [&](const std::string& users) {
    const Outcome made = dcmrank("generate " + users + " --impressions 300 --format tsv --out log");
    EXPECT_EQ(made.status, 0) << made.err;
    return made.err;
  };
  const auto shows = [&](const std::string& item) {
    const std::string log = content("log");
    return log.find("\t" + item + ",") != std::string::npos ||
           log.find("," + item + "\t") != std::string::npos;
  };
  generate("--problem m.json --query q");
  EXPECT_TRUE(shows("d") && shows("e"));
  generate("--problem m.json --query q --min-shown 20");
  EXPECT_TRUE(shows("a") && shows("c") && !shows("d") && !shows("e"));
  generate("--model m.json");
  EXPECT_TRUE(shows("e") && shows("y"));
  expect_said(
      generate("--model m.json --min-shown 20"),
      "m.json: 2 of 5 items, shown fewer than 20 times, are left out; so are 1 of 2 queries");
  EXPECT_TRUE(shows("a") && !shows("e") && !shows("x") && !shows("y"));
  refuses("generate --model m.json --min-shown 1000 --out x", {"m.json", "min-shown 1000"});
  refuses("generate --model uncounted.json --min-shown 1 --out x", {"uncounted.json", "how often"});
}

TEST_F(MinShown, OfTheArenaIsAnotherWorldWithCellsOfItsOwn) {
  const auto arena = [&](const std::string& more) {
    const Outcome outcome = dcmrank(
        "arena --model m.json --policy dcm-ts --policy toprank --steps 50 --runs 2 " + more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::ordered_json::parse(content("arena/arena.json"))["worlds"];
  };
  const auto cells = [&] {
    return std::distance(std::filesystem::directory_iterator(folder() / "arena/cells"), {});
  };
  EXPECT_EQ(arena("").size(), 2U);
  EXPECT_EQ(cells(), 4);
  const auto worlds = arena("--min-shown 20");
  ASSERT_EQ(worlds.size(), 1U);  // too few would remain of r
  EXPECT_EQ(worlds[0]["items"], 3);
  EXPECT_EQ(cells(), 6);
  EXPECT_NE(content("arena/arena.html").find("--min-shown 20"), std::string::npos);
  arena("--min-shown 20");
  EXPECT_EQ(cells(), 6);
  refuses("arena --model m.json --min-shown 1000 --out other", {"m.json", "1000 times"});
}

TEST_F(MinShown, OfASweepIsAKeyOfAModelsQueries) {
  const std::string top = "policies = 'dcm-ts'\nsteps = 50\nruns = 2\n";
  file("grid.toml", top +
                        "[[problems]]\nmodel = 'm.json'\nqueries = 'q'\n"
                        "[[problems]]\nmodel = 'm.json'\ntop = 5\nmin_shown = 20\n");
  const Outcome outcome = dcmrank("sweep grid.toml --json sweep.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto rows = nlohmann::ordered_json::parse(content("sweep.json"))["cells"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["L"], 5);
  EXPECT_TRUE(rows[0]["min_shown"].is_null());
  EXPECT_EQ(rows[1]["L"], 3);
  EXPECT_EQ(rows[1]["min_shown"], 20);
  EXPECT_NE(rows[0]["problem"], rows[1]["problem"]);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder() / "sweep/cells"), {}), 2);
  file("few.toml", top + "[[problems]]\nmodel = 'm.json'\nqueries = 'q'\nmin_shown = 61\n");
  refuses("sweep few.toml", {"few.toml:5", "min-shown 61 leaves 1 of 5 items"});
  file("odd.toml", top + "[[problems]]\nrandom = 'dcm'\ncount = 1\nmin_shown = 61\n");
  refuses("sweep odd.toml", {"odd.toml", "'min_shown'"});
}

}  // namespace
}  // namespace dcmrank::testing
