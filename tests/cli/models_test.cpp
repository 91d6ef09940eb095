#include <algorithm>
#include <string>

#include "log_commands_test.h"

namespace dcmrank::testing {
namespace {

TEST_F(LogCommands, GenerateTakesUsersOfAnyClickModel) {
  file("pbm.json", R"({"model":"pbm","attraction":[0.5,0.4,0.3,0.2],"examination":[1,0.6,0.4]})");
  does("generate --problem pbm.json --impressions 50000 --seed 1 --format tsv --out pbm.tsv");
  does("fit --model pbm --format tsv pbm.tsv --out pbm-fit.json");
  const auto fitted = nlohmann::json::parse(content("pbm-fit.json"));
  EXPECT_NEAR(fitted["examination"][1].get<double>(), .6, .03);
  EXPECT_NEAR(fitted["examination"][2].get<double>(), .4, .03);
}

TEST_F(LogCommands, GenerateMakesTheSameLogOfTheSameSeedInEveryFormat) {
  const std::string problem = "generate --problem lb:L=6,K=3,p=0.4,gap=0.2,gamma=0.5 ";
  for (const std::string format : {"yandex2011", "yandex2014", "tsv"}) {
    const std::string made = problem + "--impressions 500 --seed 7 --format " + format;
    does(made + " --out " + format);
    does(made + " --out again");
    EXPECT_EQ(content(format), content("again"));
    does("count --strict --format " + format + " " + format + " --out " + format + ".counts");
  }
  const auto items = [&](const std::string& name) {
    const std::string text = content(name);
    return text.substr(text.find("query"));
  };
  EXPECT_EQ(items("tsv.counts"), items("yandex2011.counts"));
  EXPECT_EQ(items("tsv.counts"), items("yandex2014.counts"));
  refuses("generate --impressions 5 --out x", {"--problem", "--model"});
  refuses(problem + "--ranking best --out x", {"--ranking", "'best'"});
  refuses(problem + "--impressions 0 --out x", {"--impressions"});
}

TEST_F(LogCommands, GenerateShowsTheOptimalListWhenAsked) {
  file("p.json", R"({"attraction":[0.1,0.9,0.5],"termination":[0.2,0.8]})");
  does("generate --problem p.json --ranking optimal --impressions 3 --format tsv --out log");
  EXPECT_EQ(content("log").substr(0, 6), "1\t3,2\t");
}

TEST_F(LogCommands, GenerateRefusesIdsThatTheFormatCannotHold) {
  file("m.json", R"({"model":"dctr","method":"count","positions":1,"queries":[{"query":"q",
       "impressions":1,"items":[{"item":"a,b","attraction":0.5}]}]})");
  refuses("generate --model m.json --format tsv --out x", {"tsv", "'a,b'"});
  does("generate --model m.json --format yandex2011 --impressions 10 --out x");
}

TEST_F(LogCommands, GenerateKeepsTheIdsOfAQuery) {
  does("fit log.tsv --out m.json");
  does("fit log.tsv --model dctr --out m.cmodel");
  for (const std::string model : {"m.json", "m.cmodel"}) {
    does("generate --problem " + model + " --query r --impressions 50 --format tsv --out log");
    EXPECT_TRUE(content("log").starts_with("r\tx,y\t") || content("log").starts_with("r\ty,x\t"))
        << content("log");
    EXPECT_EQ(content("log").find('1'), std::string::npos);
  }
  file("two.json", R"({"model":"dctr","method":"count","positions":1,"queries":[{"query":"q",
       "impressions":1,"items":[{"item":"a,b","attraction":0.5},{"item":"c","attraction":0.4}]}]})");
  refuses("generate --problem two.json --format tsv --out x", {"tsv", "'a,b'"});
}

TEST_F(LogCommands, SimulateTakesAQueryOfAModel) {
  does("fit --format yandex2011 log.tsv --out m.json");
  const auto result =
      json("simulate --problem m.json --query q --policy dcm-kl-ucb --steps 10 --runs 1 --json -");
  EXPECT_EQ(result["problem"]["attraction"].size(), 3U);
  refuses("bounds --problem m.json", {"m.json", "--query"});
  refuses("bounds --problem m.json --query z", {"no query 'z'"});
  refuses("bounds --problem lb:L=4,K=2,p=0.2,gap=0.1,gamma=0.5 --query q", {"--query"});
}

TEST_F(LogCommands, InspectShowsQueriesAndDrawsTermination) {
  does("fit --format yandex2011 log.tsv --out m.json");
  const Outcome shown = dcmrank("inspect m.json --plot t.svg");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_NE(shown.out.find("query q: 2 impressions, 3 items"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("not identified: termination at position"), std::string::npos);
  EXPECT_NE(content("t.svg").find("<svg"), std::string::npos);
  EXPECT_NE(content("t.svg").find("q (2 impressions)"), std::string::npos);
  EXPECT_NE(
      shown.err.find("note: not in the picture, because the log does not tell it: termination "
                     "at position"),
      std::string::npos)
      << shown.err;
  const auto result = json("inspect m.json --top 1 --json -");
  EXPECT_EQ(result["queries"].size(), 1U);
  EXPECT_EQ(result["queries"][0]["termination"].size(), 3U);
  refuses("inspect m.json --plot t.txt", {"t.txt"});
  refuses("inspect log.tsv", {"log.tsv: not a model", "dcmrank fit"});
  refuses("generate --problem log.tsv --out x",
          {"log.tsv: not a problem or a model", "dcmrank fit"});
}

// What is said of the log is of all that was read, and said to be so.
TEST_F(LogCommands, QueriesThatAreLeftOutAreNotCountedAmongThoseOfTheModel) {
  does("count log.tsv --out c");
  for (const std::string from : {"log.tsv", "--counts c"}) {
    for (const std::string name : {"m.json", "m.cmodel"}) {
      const Outcome fitted = dcmrank("fit " + from + " --top 1 --out " + name);
      EXPECT_NE(fitted.out.find("; 2 of the 4 impressions are theirs"), std::string::npos)
          << fitted.out;
      const Outcome shown = dcmrank("inspect " + name);
      EXPECT_NE(shown.out.find("1 query, 3 positions, fitted to a log of 4 impressions\n"),
                std::string::npos)
          << shown.out;
    }
  }
  EXPECT_EQ(dcmrank("fit log.tsv --out m.json").out.find("theirs"), std::string::npos);
}

// Items that nobody clicked have an attraction of 0 there, or nearly.
TEST_F(LogCommands, FitTakesPriorsThatAreHardlyAny) {
  for (const std::string model : {"dcm", "pbm", "ubm", "dbn", "sdbn", "ccm"}) {
    const std::string fit = "fit log.tsv --method em --model " + model + " --out m.json --prior ";
    does(fit + "0,0");
    const auto none = nlohmann::json::parse(content("m.json"));
    does(fit + "1e-300,1e-300");
    const auto hardly = nlohmann::json::parse(content("m.json"));
    EXPECT_NEAR(hardly["em"]["log_likelihood"].back().get<double>(),
                none["em"]["log_likelihood"].back().get<double>(), 1e-6)
        << model;
  }
}

TEST_F(LogCommands, GenerateSaysNothingElseWhereItRefuses) {
  does("fit log.tsv --out m.json");
  for (const std::string wrong : {"--out x.gz", "--out x --impressions 0", "--out x --format y"}) {
    const Outcome refused = dcmrank("generate --problem m.json --query q " + wrong);
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.err.find("note:"), std::string::npos) << refused.err;
  }
}

TEST_F(LogCommands, InspectWritesATidyTable) {
  does("fit log.tsv --model sdbn --out m.json");
  const Outcome shown = dcmrank("inspect m.json --query r --csv -");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(shown.out,
            "query,parameter,item,position,last_click,value,low,high,identified,shown,clicked,"
            "impressions\n"
            "r,attraction,x,,,0.3333333333333333,,,true,1,0,2\n"
            "r,satisfaction,x,,,0.5,,,false,1,0,2\n"
            "r,attraction,y,,,0.5,,,true,2,1,2\n"
            "r,satisfaction,y,,,0.6666666666666666,,,true,2,1,2\n");
  does("fit log.tsv --model ubm --out ubm.json");
  const std::string all = dcmrank("inspect ubm.json --top 1 --items 1 --csv -").out;
  EXPECT_NE(all.find("\n,examination,,3,1,"), std::string::npos) << all;  // of all queries
  EXPECT_NE(all.find("\n,examination,,3,3,"), std::string::npos) << all;
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1 + 6 + 1);
  does("fit log.tsv --out dcm.json");
  does("inspect dcm.json --csv dcm.csv");
  EXPECT_NE(content("dcm.csv").find("\nq,termination,,3,,"), std::string::npos);
  EXPECT_NE(content("dcm.csv").find(",false,,,\n"), std::string::npos);
  EXPECT_EQ(dcmrank("inspect dcm.json --csv dcm.csv").err, "");
  EXPECT_NE(dcmrank("inspect dcm.json --items 1 --csv dcm.csv").err.find("raise --top and --items"),
            std::string::npos);
  refuses("inspect m.json --csv - --json -", {"--json", "--csv", "stdout"});
  refuses("inspect m.json --query z --csv z.csv", {"no query 'z'"});
}

// A list that is always the same tells of its top alone.
TEST_F(LogCommands, FitAndInspectSayInAFewWordsWhatALogDoesNotTell) {
  std::string log;
  for (int n = 0; n < 400; ++n) {
    log += "q\ta,b,c,d\t" + std::string(n % 2 == 0 ? "a" : n % 3 == 0 ? "b" : "") + "\n";
  }
  file("same.tsv", log);
  const Outcome fitted = dcmrank("fit --format tsv same.tsv --model ubm --method em --out u.json");
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_NE(fitted.out.find("This log does not tell 9 of the 10 probabilities of examination: all "
                            "but position 1 without a click above\n"),
            std::string::npos)
      << fitted.out;
  const std::string all = dcmrank("inspect u.json").out;
  EXPECT_NE(all.find("not identified: examination at all but position 1 without"),
            std::string::npos)
      << all;
  // Of one item there is an interval; why not of the others is said, however few are shown.
  EXPECT_NE(all.find("An attraction has no interval where the log does not identify the attraction "
                     "(?)\n(docs/fitting.md#intervals)."),
            std::string::npos)
      << all;
  file("v.json", R"({"model":"ubm","method":"em","positions":1,"examination":[[1]],"queries":[
      {"query":"q","impressions":9,"items":[
        {"item":"a","attraction":0.5,"impressions":9},
        {"item":"b","attraction":0.5,"impressions":8,"interval":[0.4,0.6]}]}]})");
  const std::string one = dcmrank("inspect v.json --items 1").out;
  EXPECT_NE(one.find("95 % from"), std::string::npos) << one;
  EXPECT_NE(one.find("has no interval where the prior would decide how wide it is"),
            std::string::npos)
      << one;
  does("fit --format tsv same.tsv --method em --prior 0,0 --out edge.json");
  const std::string edge = dcmrank("inspect edge.json").out;
  EXPECT_NE(edge.find("no interval where it is exactly 0 or 1, or where how sure"),
            std::string::npos)
      << edge;
  does("inspect v.json --query q --csv v.csv");
  EXPECT_EQ(dcmrank("inspect v.json --top 1 --items 1e9 --csv v.csv").err, "");
  does("fit log.tsv --out dcm.json");  // of two queries
  const std::string note = does("inspect dcm.json --top 1 --items 1e9 --csv v.csv");
  EXPECT_NE(note.find("--csv has 1 of 2 queries, with all their items"), std::string::npos) << note;
}

TEST_F(LogCommands, InspectSaysWhichCurvesItDoesNotDraw) {
  does("generate --problem lb:L=9,K=8,p=0.3,gap=0.2,gamma=0.5 --impressions 300 --out long.tsv");
  does("fit --format yandex2011 long.tsv --model ubm --out ubm.json");
  does("inspect ubm.json --plot u.svg --plot-width 300");
  EXPECT_NE(
      content("u.svg").find("Examination by position (last clicks more than 5 positions above "
                            "are not drawn)"),
      std::string::npos);
  does("fit --format yandex2011 log.tsv --model ubm --out ubm.json");  // of three positions
  does("inspect ubm.json --plot u.svg");
  EXPECT_EQ(content("u.svg").find("not drawn"), std::string::npos);
}

TEST_F(LogCommands, InspectShowsWhatEachModelHas) {
  does("fit --format yandex2011 log.tsv --model pbm --out pbm.json");
  does("fit --format yandex2011 log.tsv --model sdbn --out sdbn.json");
  EXPECT_NE(dcmrank("inspect pbm.json --plot x.svg").out.find("examination:"), std::string::npos);
  EXPECT_NE(content("x.svg").find("examination probability"), std::string::npos);
  EXPECT_EQ(json("inspect pbm.json --json -")["queries"][0]["examination"].size(), 3U);
  EXPECT_TRUE(
      json("inspect sdbn.json --json -")["queries"][0]["items"][0]["satisfaction"].is_number());
  const Outcome drawn = dcmrank("inspect sdbn.json --plot x.svg");  // which has no positions
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_NE(content("x.svg").find("Attraction of the items of query "), std::string::npos);
}

// Only of counts that are trials: 95 % would not be true of the others.
TEST_F(LogCommands, InspectShowsIntervalsOnlyWhereTheyHaveTheirCoverage) {
  const auto first_item = [&](const std::string& options) {
    does("fit --format yandex2011 log.tsv --out i.json " + options);
    return json("inspect i.json --json -")["queries"][0]["items"][0];
  };
  for (const std::string options : {"--model dctr", "--model cascade", "--model dcm --method em"}) {
    const auto item = first_item(options);
    EXPECT_LT(item["low"].get<double>(), item["high"].get<double>()) << options;
    EXPECT_NE(dcmrank("inspect i.json").out.find("95 %"), std::string::npos) << options;
  }
  for (const std::string options : {"--model dcm", "--model sdbn", "--model sdbn --prior 0,0"}) {
    const auto item = first_item(options);
    EXPECT_TRUE(item["low"].is_null() && item["high"].is_null()) << options;
    EXPECT_EQ(dcmrank("inspect i.json").out.find("95 %"), std::string::npos) << options;
  }
}

}  // namespace
}  // namespace dcmrank::testing
