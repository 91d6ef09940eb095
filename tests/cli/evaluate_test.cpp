#include "log_commands_test.h"

namespace dcmrank::testing {
namespace {

const std::string kLogProblem = "--problem lb:L=6,K=3,p=0.4,gap=0.3,gamma=0.5 ";

TEST_F(LogCommands, EvaluateSaysHowManyPagesHaveUnknownQueries) {
  does("fit log.tsv --out m.json");
  does("fit log.tsv --out m.cmodel");
  file("other.tsv", "q\ta,b\tb\nnew\ta,b\t\nother\tx\t\nr\tx,y\ty\n");
  for (const std::string model : {"m.json", "m.cmodel"}) {
    const Outcome outcome = dcmrank("evaluate --model " + model + " other.tsv --json e.json");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.err.find(model + ": the queries of 2 of 4 pages are unknown to the model"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(content("e.json"))["unknown_queries"], 2);
  }
  EXPECT_EQ(does("evaluate --model m.json log.tsv").find("unknown"), std::string::npos);
}

TEST_F(LogCommands, EvaluateGivesStandardErrorsWhereThereAreAny) {
  does("generate " + kLogProblem + "--impressions 400 --out a.tsv");
  does("generate " + kLogProblem + "--impressions 400 --seed 2 --out b.tsv");
  does("fit a.tsv --out m.json");
  const auto scores = json("evaluate --model m.json b.tsv --json -");
  for (const char* score : {"log_likelihood", "perplexity", "conditional_perplexity"}) {
    EXPECT_GT(scores["stderr"][score].get<double>(), 0) << score;
    EXPECT_LT(scores["stderr"][score].get<double>(), 0.1) << score;
  }
  EXPECT_NE(dcmrank("evaluate --model m.json b.tsv").out.find(" ± "), std::string::npos);
  EXPECT_EQ(json("evaluate --model m.json b.tsv --threads 1 --json -"), scores);
  file("one.tsv", "1\ta,b\tb\n");
  EXPECT_TRUE(json("evaluate --model m.json one.tsv --json -")["stderr"]["perplexity"].is_null());
}

TEST_F(LogCommands, ChooseSaysWhichToTakeOfThoseThatCannotBeToldApart) {
  does("generate " + kLogProblem + "--impressions 400 --out a.tsv");
  const Outcome outcome = dcmrank("choose a.tsv --model dcm,dbn");
  EXPECT_NE(outcome.out.find("cannot be told apart"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("take the one of them with the fewest parameters"), std::string::npos)
      << outcome.out;
}

TEST_F(LogCommands, GenerateTakesItsFormatFromTheNameOfItsFile) {
  const std::string generate = "generate " + kLogProblem + "--impressions 3 --out ";
  does(generate + "a.csv");
  EXPECT_EQ(content("a.csv").substr(0, 31), "page,query,position,item,click\n");
  does(generate + "a.jsonl");
  EXPECT_EQ(content("a.jsonl").front(), '{');
  does(generate + "b.csv --format yandex2011");
  does(generate + "c.tsv");
  EXPECT_EQ(content("b.csv"), content("c.tsv"));
  refuses(generate + "a.csv.xz", {"'a.csv.xz'", "uncompressed", "| xz >"});
  refuses(generate + "a.gz --format tsv", {"'a.gz'", "| gzip >"});
}

TEST_F(LogCommands, RefuseFilesOfOurOwnThatAreNoLogs) {
  does("fit log.tsv --out m.json --json f.json");
  does("fit log.tsv --out m.cmodel");
  does("count log.tsv --out c");
  refuses("fit m.json --out n.json", {"m.json", "is a model file (dcmrank.model), not a log"});
  refuses("choose m.cmodel", {"m.cmodel", "is a model file (dcmrank.model), not a log"});
  refuses("fit --format jsonl m.json --out n.json", {"is a model file (dcmrank.model), not a log"});
  refuses("fit f.json --out n.json", {"is a result file (dcmrank.fit), not a log"});
  refuses("fit c --out n.json", {"is a counts file (dcmrank.counts), not a log", "--counts"});
}

TEST_F(LogCommands, FitSaysWhereItCountsAndChooseWouldNot) {
  const auto words = [&](const std::string& options) {
    return dcmrank("fit log.tsv --out m.json " + options).out;
  };
  EXPECT_NE(words("").find("by counting; --method em"), std::string::npos);
  EXPECT_EQ(words("--method em").find("by counting"), std::string::npos);
  EXPECT_EQ(words("--model dctr").find("by counting"), std::string::npos);  // cannot be otherwise
}

TEST_F(LogCommands, CountOneThingInTheSingular) {
  file("one.tsv", "1\ta,b\tb\n");
  EXPECT_EQ(dcmrank("count one.tsv --out c").out,
            "1 impression with 1 click in 1 line\n1 query, 2 items\n");
}

}  // namespace
}  // namespace dcmrank::testing
