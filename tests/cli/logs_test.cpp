#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "log_commands_test.h"

namespace dcmrank::testing {
namespace {

TEST_F(LogCommands, SayInOneLineWhatTheyFoundAndCountTheSame) {
  does("count --format yandex2011 log.tsv --out told.counts");
  EXPECT_EQ(does("count log.tsv --out found.counts"), "dcmrank: log.tsv: yandex2011\n");
  EXPECT_EQ(content("found.counts"), content("told.counts"));
  EXPECT_EQ(does("count - --out stdin.counts", kLog), "dcmrank: stdin: yandex2011\n");
  EXPECT_EQ(content("stdin.counts"), content("told.counts"));
  const std::string csv = "q,docs,clicked\nq,a b c,b\nq,b a c,b c\nr,x y,\nr,y x,y\n";
  file("log.csv", csv);
  file("more.csv", csv);
  const std::string columns = "--columns query=q,items=docs,clicks=clicked";
  const std::string shape =
      "csv (comma, one row per page: query=q, items=docs, clicks=clicked as items)";
  EXPECT_EQ(does("count " + columns + " log.csv --out csv.counts"),
            "dcmrank: log.csv: " + shape + "\n");
  const auto without_log = [&](const std::string& name) {
    const std::string text = content(name);
    return text.substr(text.find("query\t"));
  };
  EXPECT_EQ(without_log("csv.counts"), without_log("told.counts"));
  does("fit --format yandex2011 log.tsv --out m.json");
  EXPECT_EQ(does("evaluate --model m.json " + columns + " log.csv more.csv --json e.json"),
            "dcmrank: log.csv and 1 more: " + shape + "\n");
  for (const char* tool : {"gzip -k", "xz -k", "bzip2 -k", "zstd -q"}) {
    ASSERT_EQ(std::system(fmt::format("cd {} && {} log.csv", folder().string(), tool).c_str()), 0);
  }
  const std::vector<std::pair<std::string, std::string>> packed{
      {"gz", "gzip"}, {"xz", "xz"}, {"bz2", "bzip2"}, {"zst", "zstd"}};
  for (const auto& [end, name] : packed) {
    EXPECT_EQ(does("count " + columns + " log.csv." + end + " --out packed.counts"),
              "dcmrank: log.csv." + end + ": " + shape + ", " + name + "\n");
    EXPECT_EQ(content("packed.counts"), content("csv.counts"));
  }
}

TEST_F(LogCommands, FitWritesTheModelOfTheContract) {
  const auto model = json("fit --format yandex2011 log.tsv --out -");
  EXPECT_EQ(model["model"], "dcm");
  EXPECT_EQ(model["method"], "count");
  EXPECT_EQ(model["positions"], 3);
  EXPECT_EQ(model["log"]["lines"], 8);
  EXPECT_EQ(model["log"]["impressions"], 4);
  EXPECT_EQ(model["log"]["clicks"], 4);
  const auto& query = model["queries"][0];
  EXPECT_EQ(query["query"], "q");
  EXPECT_EQ(query["impressions"], 2);
  EXPECT_EQ(query["items"][1]["item"], "b");
  EXPECT_EQ(query["items"][1]["shown"], 2);
  EXPECT_EQ(query["items"][1]["clicked"], 2);
  EXPECT_DOUBLE_EQ(query["items"][1]["attraction"], 0.75);
  EXPECT_EQ(query["termination"].size(), 3U);
}

TEST_F(LogCommands, FitTakesThePriorAndSharesTermination) {
  const auto model =
      json("fit --format yandex2011 log.tsv --prior 0,0 --termination shared --out -");
  EXPECT_DOUBLE_EQ(model["queries"][0]["items"][1]["attraction"], 1);
  // Two clicks at position 1, of which one was the last.
  EXPECT_DOUBLE_EQ(model["termination"][0], 0.5);
  EXPECT_FALSE(model["queries"][0].contains("termination"));
}

TEST_F(LogCommands, FitGivesTheSameBytesForAnyNumberOfThreads) {
  does("generate --problem lb:L=16,K=4,p=0.4,gap=0.15,gamma=0.5 --impressions 300000 --out big");
  for (const std::string method : {"count", "em"}) {
    const std::string fit = "fit --format yandex2011 big --tolerance 1e-6 --method " + method;
    does(fit + " --threads 1 --out one.json");
    does(fit + " --threads 3 --out three.json");
    EXPECT_EQ(content("one.json"), content("three.json")) << method;
  }
}

TEST_F(LogCommands, CountsOfPiecesGiveTheModelOfTheWholeLog) {
  file("a.tsv", kLog.substr(0, kLog.find("2\t0\tQ")));
  file("b.tsv", kLog.substr(kLog.find("2\t0\tQ")));
  for (const std::string name : {"a", "b"}) {
    does("count --format yandex2011 " + name + ".tsv --out " + name + ".counts");
  }
  for (const std::string model : {"dcm", "cascade", "dctr", "sdbn"}) {
    does("fit --model " + model + " --format yandex2011 log.tsv --out whole.json");
    does("fit --model " + model + " --counts a.counts b.counts --out pieces.json");
    EXPECT_EQ(content("pieces.json"), content("whole.json")) << model;
  }
  refuses("fit --counts a.counts --method em --out m.json", {"a.counts: ", "--for dcm"});
  refuses("fit log.tsv --counts a.counts --out m.json", {"--counts", "LOG"});
  refuses("fit --counts log.tsv --out m.json", {"log.tsv: line 1", "not a counts file"});
}

TEST_F(LogCommands, EmReadsTheLogAgainWhereMemoryDoesNotSuffice) {
  does("generate --problem lb:L=12,K=4,p=0.4,gap=0.15,gamma=0.5 --impressions 5000 --out big");
  const std::string fit = "fit --format yandex2011 --method em --max-iterations 20 ";
  const auto in_memory = json(fit + "big --out -");
  const auto again = json(fit + "big --max-tails 10 --out -");
  for (std::size_t i = 0; i < 12; ++i) {
    const double a = in_memory["queries"][0]["items"][i]["attraction"];
    EXPECT_NEAR(a, again["queries"][0]["items"][i]["attraction"], 1e-12);
  }
  refuses(fit + "- --max-tails 10 --out m.json", {"--max-tails", "standard input"}, content("big"));
}

TEST_F(LogCommands, EmThatDidNotConvergeSaysSoAndFails) {
  does("generate --problem lb:L=12,K=4,p=0.4,gap=0.15,gamma=0.5 --impressions 500 --out small");
  for (const std::string model : {"dcm", "pbm", "ubm", "dbn", "sdbn", "ccm"}) {
    const std::string fit =
        "fit --format yandex2011 small --method em --out m.json --model " + model;
    const Outcome outcome = dcmrank(fit + " --max-iterations 1");
    EXPECT_EQ(outcome.status, 1) << model;
    EXPECT_NE(outcome.err.find("did not converge in 1 iterations"), std::string::npos);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(nlohmann::json::parse(content("m.json"))["em"]["converged"]) << model;
    does(fit);
    EXPECT_TRUE(nlohmann::json::parse(content("m.json"))["em"]["converged"]) << model;
  }
}

// The last termination is never told by a log; the prior's mean is nobody's.
TEST_F(LogCommands, SimulationsDoNotTakeWhatALogCannotTellForTruth) {
  does("generate --problem lb:L=8,K=4,p=0.4,gap=0.15,gamma=0.3 --impressions 20000 --out big");
  for (const std::string method : {"count", "em"}) {
    does("fit --format yandex2011 big --out m.json --method " + method);
    const Outcome outcome = dcmrank(
        "simulate --problem m.json --policy dcm-ts --steps 10 --runs 1 --json sim.json --query 1");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.err.find("cannot tell termination at position 4"), std::string::npos)
        << outcome.err;
    const auto problem = nlohmann::json::parse(content("sim.json"))["problem"];
    const std::vector<double> v = problem["termination"];
    EXPECT_EQ(v[3], std::min({v[0], v[1], v[2]}));
    EXPECT_NE(std::string(problem["note"]).find("position 4"), std::string::npos);
  }
}

TEST_F(LogCommands, ChooseTellsWhichModelPredictsBest) {
  does("generate --problem lb:L=8,K=4,p=0.5,gap=0.3,gamma=0.8 --impressions 6000 --out big");
  const std::string choose = "choose --format yandex2011 big --folds 5 ";
  const auto chosen = json(choose + "--json - --threads 1");
  EXPECT_EQ(chosen["format"], "dcmrank.choice");
  EXPECT_EQ(chosen["models"].size(), 8U);
  EXPECT_EQ(chosen["models"][0]["log_likelihood"]["per_fold"].size(), 5U);
  const std::vector<std::string> best = chosen["best"];
  EXPECT_NE(std::find(best.begin(), best.end(), "dcm"), best.end());
  EXPECT_EQ(json(choose + "--json - --threads 3"), chosen);
  EXPECT_NE(json(choose + "--json - --seed 2")["models"], chosen["models"]);
  const Outcome said = dcmrank(choose + "--model dcm,dctr");
  EXPECT_NE(said.out.find("dcm predicts best"), std::string::npos) << said.out;
  const Outcome stopped = dcmrank(choose + "--model dcm,dctr --max-iterations 1");
  EXPECT_EQ(stopped.status, 1);
  EXPECT_NE(stopped.err.find("did not converge"), std::string::npos) << stopped.err;
  refuses(choose + "--model dcm,dctrr", {"--model", "'dctrr'", "dctr"});
  refuses(choose + "--model dcm,dcm", {"'dcm' is given twice"});
  refuses("choose --format yandex2011 big --folds 1", {"--folds"});
  refuses("choose --format yandex2011 big --folds 21", {"--folds"});
  refuses("choose --format yandex2011 big --max-tails 5", {"--max-tails"});
  refuses("choose --format yandex2011 -", {"read twice"}, content("big"));
}

TEST_F(LogCommands, EvaluateWarnsWhereAModelIsScoredOnItsOwnLog) {
  does("generate --problem lb:L=8,K=4,p=0.5,gap=0.3,gamma=0.8 --impressions 500 --out a.tsv");
  does(
      "generate --problem lb:L=8,K=4,p=0.5,gap=0.3,gamma=0.8 --impressions 500 --seed 2 --out "
      "b.tsv");
  does("fit --format yandex2011 a.tsv --out m.json");
  does("count --format yandex2011 a.tsv --out a.counts");
  does("fit --counts a.counts --out counted.json");
  const std::string evaluate = "evaluate --model m.json --model counted.json --format yandex2011 ";
  const Outcome own = dcmrank(evaluate + "a.tsv");
  EXPECT_EQ(own.status, 0);
  EXPECT_NE(own.err.find("m.json was fitted to this very log"), std::string::npos) << own.err;
  EXPECT_NE(own.err.find("counted.json was fitted to this very log"), std::string::npos) << own.err;
  EXPECT_EQ(dcmrank(evaluate + "b.tsv").err, "");
  EXPECT_TRUE(json(evaluate + "a.tsv --json -")["models"][1]["own_log"]);
  EXPECT_FALSE(json(evaluate + "b.tsv --json -")["models"][0]["own_log"]);
}

TEST_F(LogCommands, ReadCompressedFilesAndStandardInput) {
  does("fit --format yandex2011 log.tsv --out plain.json");
  ASSERT_EQ(
      std::system(("cd " + folder().string() + " && gzip -k log.tsv && zstd -q log.tsv").c_str()),
      0);
  does("fit --format yandex2011 log.tsv.gz --out gz.json");
  does("fit --format yandex2011 log.tsv.zst --out zst.json");
  does("fit --format yandex2011 - --out stdin.json", kLog);
  does("fit --format yandex2011 - --out gzin.json", content("log.tsv.gz"));
  for (const std::string name : {"gz", "zst", "stdin", "gzin"}) {
    EXPECT_EQ(content(name + ".json"), content("plain.json")) << name;
  }
  file("cut.gz", content("log.tsv.gz").substr(0, 60));
  refuses("fit --strict --format yandex2011 cut.gz --out m.json", {"cut.gz", "truncated"});
}

TEST_F(LogCommands, ReadANamedPipeOnce) {
  const std::string pipe = "mkfifo pipe && (cat log.tsv > pipe &)";
  ASSERT_EQ(std::system(("cd " + folder().string() + " && " + pipe).c_str()), 0);
  const auto model = json("fit --format yandex2011 pipe --out -");
  EXPECT_EQ(model["log"]["impressions"], 4);
}

TEST_F(LogCommands, SayWhatTheySkippedWithFileAndLine) {
  file("bad.tsv", "q\ta,b\tb\nq\nq\ta,a\ta\nq\n\nq\ta\t\r\nq\tb\tz");
  const std::string said = does("fit --format tsv bad.tsv --out m.json");
  EXPECT_NE(said.find("skipped 3; first: bad.tsv:2: too few fields: 'q'"), std::string::npos)
      << said;
  EXPECT_NE(said.find("bad.tsv:3: an item twice"), std::string::npos) << said;
  EXPECT_NE(said.find("tolerated 1; first: bad.tsv:6: a carriage return"), std::string::npos)
      << said;
  EXPECT_NE(said.find("bad.tsv:7: no newline"), std::string::npos) << said;
  const auto model = nlohmann::json::parse(content("m.json"));
  EXPECT_EQ(model["log"]["skipped"]["too_few_fields"], 3);
  EXPECT_EQ(model["log"]["skipped"]["click_not_shown"], 1);
  refuses("fit --strict --format tsv bad.tsv --out n.json", {"bad.tsv:2", "too few fields"});
}

TEST_F(LogCommands, RefuseWhatIsNoLog) {
  file("empty", "");
  refuses("fit --format tsv empty --out m.json", {"no usable impression", "an empty file"});
  refuses("fit --format tsv . --out m.json", {"cannot read .", "is a directory"});
  refuses("fit --format tsv none.tsv --out m.json", {"none.tsv", "No such file"});
  refuses("fit --format yandex2012 log.tsv --out m.json",
          {"--format", "did you mean 'yandex2011'"});
  file("odd", "hello\n");
  refuses("fit odd --out m.json",
          {"odd: its format cannot be told", "'hello'", "yandex2011", "csv"});
  refuses("fit log.tsv --columns query=q --out m.json", {"log.tsv: ", "--columns", "'q'"});
  refuses("fit --format yandex2011 --columns query=q log.tsv --out m.json", {"--columns is for"});
  refuses("fit log.tsv --columns querry=q --out m.json", {"'querry'", "did you mean 'query'"});
  refuses("fit --format tsv --out m.json", {"no LOG"});
  refuses("fit --format tsv - - --out m.json", {"given twice"});
  refuses("fit --format yandex2011 log.tsv --out no/such/m.json", {"no/such/m.json"});
  refuses("fit --format yandex2011 log.tsv --prior 1 --out m.json", {"--prior", "'1'"});
  refuses("fit --format yandex2011 log.tsv --prior=-1,2 --out m.json", {"--prior", "'-1'"});
  refuses("fit --format yandex2011 log.tsv --methd em --out m.json", {"--methd", "--method"});
  refuses("fit --format yandex2011 log.tsv --model cascade --method em --out m.json", {"cascade"});
  refuses("fit --format yandex2011 log.tsv --min-impressions 9 --out m.json", {"leaves no query"});
}

TEST_F(LogCommands, RefuseRowsOfItemsWhosePagesDoNotStandTogether) {
  const std::string header = "when,query,position,url,clicked,visit\n";
  file("by_time.csv",
       header + "1,shoes,1,a,1,s1\n1,hats,1,x,0,s2\n1,shoes,2,b,0,s1\n1,hats,2,y,1,s2\n");
  refuses("count by_time.csv --columns session=visit --out c",
          {"by_time.csv", "must stand together", "session 's1'", "sort the file by page"});
  refuses("count by_time.csv --columns page=visit --out c", {"must stand together", "page 's1'"});
  refuses("count by_time.csv --out c", {"must stand together", "query 'shoes'"});
  file("second_pages.csv",
       header +
           "1,shoes,1,a,1,s1\n1,shoes,2,b,0,s1\n2,hats,1,x,0,s2\n2,hats,2,y,0,s2\n"
           "3,shoes,3,c,1,s1\n3,shoes,4,d,0,s1\n4,shoes,1,a,1,s1\n");
  does("count second_pages.csv --columns session=visit --out c");
}

TEST_F(LogCommands, EvaluateComparesModelsOnOneLog) {
  for (const std::string model : {"dcm", "cascade", "dctr", "pbm", "sdbn"}) {
    does("fit --format yandex2011 log.tsv --model " + model + " --out " + model + ".json");
  }
  const auto scores = json(
      "evaluate --model dcm.json --model cascade.json --model dctr.json --model pbm.json --model "
      "sdbn.json --format yandex2011 log.tsv --json -");
  EXPECT_EQ(scores["sessions"], 4);
  EXPECT_LT(scores["log_likelihood"].get<double>(), 0);
  EXPECT_EQ(scores["perplexity_at"].size(), 3U);
  EXPECT_EQ(scores["models"].size(), 5U);
  EXPECT_EQ(scores["models"][3]["model"], "pbm");
  const Outcome table = dcmrank("evaluate --model dcm.json --format yandex2011 log.tsv");
  EXPECT_NE(table.out.find("perplexity at"), std::string::npos);
  refuses("evaluate --model log.tsv --format yandex2011 log.tsv",
          {"log.tsv: not a model", "dcmrank fit"});
}

TEST_F(LogCommands, ShowAnExampleInTheirHelp) {
  for (const std::string name : {"fit", "count", "choose", "evaluate", "generate", "inspect"}) {
    EXPECT_NE(dcmrank(name + " --help").out.find("Example:"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace dcmrank::testing
