#include <chrono>
#include <csignal>
#include <thread>

#include "command_test.h"
#include "dcmrank/base/effort_test.h"

namespace dcmrank::testing {
namespace {

const std::string kProblem = "--problem lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5 ";
const std::string kSmall = "simulate " + kProblem + "--steps 500 --runs 4 ";

class SimulateCommand : public CommandTest {
 protected:
  /// The JSON of a simulation without its timings, which alone may differ.
  nlohmann::ordered_json timeless(const std::string& words) {
    auto result = json(words);
    for (auto& policy : result["policies"]) policy.erase("ns_per_step");
    return result;
  }
};

TEST_F(SimulateCommand, WritesTheJsonOfTheContract) {
  const auto result = json(kSmall + "--policy dcm-kl-ucb --policy ranked-exp3 --seed 3 --json -");
  EXPECT_EQ(result["problem"]["attraction"].size(), 16U);
  EXPECT_EQ(result["problem"]["termination"].size(), 4U);
  EXPECT_EQ(result["steps"], 500);
  EXPECT_EQ(result["runs"], 4);
  EXPECT_EQ(result["seed"], 3);
  ASSERT_EQ(result["policies"].size(), 2U);
  const auto& policy = result["policies"][0];
  EXPECT_EQ(policy["policy"], "dcm-kl-ucb");
  EXPECT_EQ(policy["regret"]["per_run"].size(), 4U);
  EXPECT_GT(policy["regret"]["mean"], 0);
  EXPECT_GT(policy["regret"]["stderr"], 0);
  EXPECT_GT(policy["reward"]["mean"], 0);
  EXPECT_GT(policy["ns_per_step"], 0);
  EXPECT_EQ(policy["curve"]["step"].size(), policy["curve"]["mean"].size());
  EXPECT_EQ(policy["curve"]["step"].size(), policy["curve"]["stderr"].size());
  EXPECT_EQ(policy["curve"]["step"].back(), 500);
  EXPECT_EQ(policy["curve"]["mean"].back(), policy["regret"]["mean"]);
}

TEST_F(SimulateCommand, GivesTheSameJsonWithOneAndWithTwoThreads) {
  const std::string all =
      "--policy dcm-kl-ucb --policy first-click --policy last-click --policy ranked-kl-ucb "
      "--policy ranked-exp3 --json - ";
  EXPECT_EQ(timeless(kSmall + all + "--threads 1"), timeless(kSmall + all + "--threads 2"));
}

TEST_F(SimulateCommand, PrintsATable) {
  const Outcome outcome = dcmrank(kSmall + "--policy dcm-kl-ucb --policy ranked-kl-ucb");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* part : {"L = 16, K = 4", "std. error", "dcm-kl-ucb", "ranked-kl-ucb", "1.00x"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
}

TEST_F(SimulateCommand, ComparesPoliciesRunByRun) {
  const auto result = json(kSmall + "--policy dcm-kl-ucb --policy ranked-kl-ucb --json -");
  const auto& first = result["policies"][0];
  const auto& second = result["policies"][1];
  EXPECT_EQ(first["difference"]["mean"], 0);
  EXPECT_EQ(first["difference"]["stderr"], 0);
  double sum = 0;
  for (std::size_t r = 0; r < 4; ++r) {
    sum += second["regret"]["per_run"][r].get<double>();
    sum -= first["regret"]["per_run"][r].get<double>();
  }
  EXPECT_NEAR(second["difference"]["mean"].get<double>(), sum / 4, 1e-9);
  EXPECT_GT(second["difference"]["stderr"], 0);
  const Outcome table = dcmrank(kSmall + "--policy dcm-kl-ucb --policy ranked-kl-ucb");
  EXPECT_NE(table.out.find("difference"), std::string::npos);
}

TEST_F(SimulateCommand, GivesNoStandardErrorOfOneRun) {
  const std::string one = "simulate " + kProblem + "--steps 500 --runs 1 --policy dcm-kl-ucb ";
  const auto policy = json(one + "--json -")["policies"][0];
  EXPECT_TRUE(policy["regret"]["stderr"].is_null());
  EXPECT_TRUE(policy["reward"]["stderr"].is_null());
  EXPECT_TRUE(policy["difference"]["stderr"].is_null());
  for (const auto& error : policy["curve"]["stderr"]) EXPECT_TRUE(error.is_null());
  EXPECT_TRUE(policy["regret"]["mean"].is_number());
  const Outcome outcome = dcmrank(one + "--csv r.csv --plot r.svg");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("0.00 "), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
  const std::string csv = content("r.csv");
  EXPECT_EQ(csv.find("nan"), std::string::npos);
  EXPECT_EQ(csv.substr(csv.size() - 2), ",\n");  // an empty field
}

TEST_F(SimulateCommand, WritesFilesAndNothingElse) {
  const Outcome outcome =
      dcmrank(kSmall + "--policy dcm-kl-ucb --json r.json --csv r.csv --plot r.svg");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"r.csv", "r.gnuplot", "r.json", "r.svg"}));
  EXPECT_EQ(content("r.csv").substr(0, 38), "policy,step,regret_mean,regret_stderr\n");
  EXPECT_NE(content("r.svg").find("</svg>"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(content("r.json"))["steps"], 500);
}

TEST_F(SimulateCommand, DrawsPngAndPdfAndOtherAxes) {
  EXPECT_EQ(dcmrank(kSmall + "--policy dcm-kl-ucb --plot r.png --axes loglog").status, 0);
  EXPECT_EQ(dcmrank(kSmall + "--policy dcm-kl-ucb --plot r.pdf --axes logx").status, 0);
  EXPECT_EQ(content("r.png").substr(1, 3), "PNG");
  EXPECT_EQ(content("r.pdf").substr(0, 4), "%PDF");
}

TEST_F(SimulateCommand, DrawsForPublication) {
  file("column.toml", "width = 85\nfont_size = 8\ncolours = [\"#112233\", \"#445566\"]\n");
  const std::string two = kSmall + "--policy dcm-kl-ucb --policy dcm-ts ";
  const Outcome outcome =
      dcmrank(two +
              "--plot r.svg --plot-style column.toml --plot-height 60 --plot-title Mine "
              "--plot-x-range 0:300 --plot-legend top-left --table-latex t.tex");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string svg = content("r.svg");
  for (const char* part : {"width=\"321\"", "height=\"227\"", ">Mine<"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
  const std::string latex = content("t.tex");
  EXPECT_NE(latex.find("\\toprule"), std::string::npos);
  EXPECT_NE(latex.find("dcm-kl-ucb & "), std::string::npos);
  // The script beside it draws the same picture again.
  const std::string script = content("r.gnuplot");
  EXPECT_NE(script.find("set output 'r.svg'"), std::string::npos);
  EXPECT_NE(script.find("'#112233'"), std::string::npos);
  std::filesystem::rename(folder() / "r.svg", folder() / "first.svg");
  EXPECT_EQ(Process({"gnuplot", "r.gnuplot"}, folder()).wait().status, 0);
  EXPECT_EQ(content("r.svg"), content("first.svg"));
  for (const char* name : {"r.eps", "r.tex"}) {
    EXPECT_EQ(dcmrank(two + "--plot " + name).status, 0);
  }
  EXPECT_EQ(content("r.eps").substr(0, 4), "%!PS");
  EXPECT_NE(content("r.tex").find("\\begin{tikzpicture}"), std::string::npos);
}

TEST_F(SimulateCommand, RefusesStylesThatAreNone) {
  const std::string one = kSmall + "--policy dcm-ts ";
  file("bad.toml", "widht = 85\n");
  file("type.toml", "width = true\n");
  refuses(one + "--plot r.svg --plot-style bad.toml", {"bad.toml:1:1", "did you mean 'width'"});
  refuses(one + "--plot r.svg --plot-style type.toml", {"type.toml:1:1", "a boolean"});
  refuses(one + "--plot r.svg --plot-style none.toml", {"none.toml"});
  refuses(one + "--plot r.svg --plot-width 1", {"--plot-width is '1'", "from 20 to 1000"});
  refuses(one + "--plot r.svg --plot-x-range 3:1", {"--plot-x-range is '3:1'", "0:100"});
  refuses(one + "--plot r.svg --plot-colours red", {"--plot-colours is 'red'", "#0072B2"});
  refuses(one + "--plot r.svg --plot-font a'b", {"--plot-font", "not the name of a font"});
  refuses(one + "--plot r.svg --plot-legend up", {"--plot-legend is 'up'", "top-left"});
  refuses(one + "--plot-width 85", {"--plot-width needs --plot"});
}

TEST_F(SimulateCommand, ReadsAProblemFromAFileAndFromStdin) {
  const std::string problem = R"({"attraction":[0.6,0.5,0.4],"termination":[0.5,0.1]})";
  file("p.json", problem);
  const std::string rest = " --policy dcm-kl-ucb:order=2,1 --steps 100 --runs 2 --json -";
  const auto from_file = json("simulate --problem p.json" + rest);
  const auto from_stdin = json("simulate --problem -" + rest, problem);
  EXPECT_EQ(from_file["policies"][0]["regret"], from_stdin["policies"][0]["regret"]);
}

TEST_F(SimulateCommand, RefusesProblemsThatAreNone) {
  const auto problem = [&](const std::string& spec, const std::vector<std::string>& parts) {
    refuses("simulate --policy dcm-kl-ucb --problem " + spec, parts);
  };
  problem("lb:L=16,K=4,p=1.2,gap=0.15,gamma=0.5", {"p is 1.2"});
  problem("lb:L=16,K=4,p=-0.2,gap=0.15,gamma=0.5", {"p is -0.2"});
  problem("lb:L=16,K=4,p=0.2,gap=0.15,gamma=nan", {"gamma is nan"});
  problem("lb:L=16,K=4,p=0.2,gap=0.25,gamma=0.5", {"gap is 0.25 and p is 0.2"});
  problem("lb:L=4,K=5,p=0.2,gap=0.1,gamma=0.5", {"K is 5 and L is 4"});
  problem("lb:L=4,K=0,p=0.2,gap=0.1,gamma=0.5", {"K is 0"});
  problem("lb:L=1,K=1,p=0.2,gap=0.1,gamma=0.5", {"L is 1"});
  problem("lb:L=4,K=2,p=0.2,gap=0.1", {"gamma is missing"});
  problem("no-such-file.json", {"no-such-file.json", "No such file"});
  problem(".", {"is a directory"});
}

TEST_F(SimulateCommand, RefusesFilesThatAreNoProblem) {
  const auto with = [&](const std::string& text, const std::vector<std::string>& parts) {
    file("p.json", text);
    refuses("simulate --policy dcm-kl-ucb --problem p.json", parts);
  };
  with("", {"p.json", "line 1", "unexpected end"});
  with("{\"attraction\":[0.1,\n0.2", {"p.json", "line 2", "byte 24"});
  with(R"({"attraction":[0.1,1.5],"termination":[0.5]})", {"attraction[1] is 1.5"});
  with(R"({"attraction":[0.1,NaN],"termination":[0.5]})", {"p.json", "byte"});
  with(R"({"attraction":[0.1,0.2],"termination":[]})", {"termination is empty"});
  with(R"({"attraction":[0.1,0.2],"termination":[0.1,0.1,0.1]})", {"K is 3 and L is 2"});
  with(R"({"attraction":[0.1,0.2]})", {"\"termination\" is missing"});
}

TEST_F(SimulateCommand, RefusesUnknownPoliciesAndOptions) {
  const auto policy = [&](const std::string& spec, const std::vector<std::string>& parts) {
    refuses("simulate " + kProblem + "--policy " + spec, parts);
  };
  policy("dcm-klucb", {"'dcm-klucb'", "did you mean 'dcm-kl-ucb'"});
  policy("dcm-kl-ucb:colour=red", {"'colour'", "its options: init"});
  policy("dcm-kl-ucb:init=fre", {"init=fre", "did you mean 'free'"});
  policy("dcm-kl-ucb:order=1,2,3", {"each of the 4 positions once"});
  policy("ranked-exp3:duplicates", {"'duplicates'", "key=value"});
}

TEST_F(SimulateCommand, RefusesNumbersThatAreNone) {
  const std::string start = "simulate " + kProblem + "--policy dcm-kl-ucb ";
  refuses(start + "--steps 0", {"--steps is '0'"});
  refuses(start + "--runs 0", {"--runs is '0'"});
  refuses(start + "--steps -5", {"--steps is '-5'"});
  refuses(start + "--steps 1.5", {"--steps is '1.5'"});
  refuses(start + "--seed x", {"--seed is 'x'"});
  refuses(start + "--threads 0", {"--threads is '0'"});
  refuses(start + "--axes log", {"--axes is 'log'", "did you mean 'logx'"});
}

TEST_F(SimulateCommand, RefusesOutputsBeforeTheWork) {
  // A billion steps: were the output tried after the work, this test would not end.
  const std::string start = "simulate " + kProblem + "--policy dcm-kl-ucb --steps 1e9 --runs 100 ";
  refuses(start + "--json missing/r.json", {"cannot write missing/r.json", "No such file"});
  refuses(start + "--csv .", {"cannot write .", "directory"});
  refuses(start + "--plot r.jpg", {"r.jpg", ".svg, .png, .pdf, .eps, .tex"});
  refuses(start + "--plot missing/r.svg", {"cannot write missing/r.svg"});
  refuses(start + "--plot -", {"--plot cannot be written to stdout"});
  refuses(start + "--json - --csv -", {"only one of --json, --csv"});
}

TEST_F(SimulateCommand, RefusesUnknownAndMissingArguments) {
  refuses("simulate " + kProblem + "--polcy x", {"'--polcy'", "did you mean '--policy'"});
  refuses("simulate --policy dcm-kl-ucb", {"--problem is required"});
  refuses("simulate " + kProblem, {"--policy or --load is needed"});
  refuses("simulate " + kProblem + "--policy", {"--policy"});
}

TEST_F(SimulateCommand, LeavesNothingHalfWrittenWhenInterrupted) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Process process(command("simulate " + kProblem +
                            "--policy dcm-kl-ucb --steps 1e9 --runs 100 "
                            "--json r.json --csv r.csv --plot r.svg"),
                    folder());
    while (files().size() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    process.signal(signal);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.status, 128 + signal);
    EXPECT_EQ(outcome.err,
              "dcmrank: interrupted; nothing was written (--resume FILE keeps finished runs)\n");
    EXPECT_EQ(files(), std::vector<std::string>{});
  }
}

// Long enough for the first line of progress, whatever the build.
TEST_F(SimulateCommand, ShowsProgressWithTheTimeLeftOnATerminal) {
  const std::string steps = effort("5000000", "200000");
  Process process(command("simulate " + kProblem + "--policy dcm-kl-ucb --runs 4 --steps " + steps),
                  folder(), "", Process::Stderr::kTerminal);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("simulate ["), std::string::npos);
  EXPECT_NE(outcome.err.find(" s left"), std::string::npos);
  EXPECT_EQ(outcome.err.substr(outcome.err.size() - 4), "\r\033[K");
}

// The state of a policy is all that grows, and it grows with L alone.
TEST_F(SimulateCommand, NeedsLittleMemoryForManyItems) {
  constexpr long kMost = effort(100'000L, 1'000'000L);
  for (const std::string policy : {"dcm-kl-ucb", "ranked-kl-ucb", "ranked-exp3"}) {
    const Outcome outcome = dcmrank(
        "simulate --problem lb:L=100000,K=10,p=0.2,gap=0.15,gamma=0.5 --steps 5 --runs 4 "
        "--threads 2 --json r.json --policy " +
        policy);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_LT(outcome.peak_kilobytes, kMost) << policy;
  }
}

TEST_F(SimulateCommand, FailsWithStatusOneWhereTheResultCannotBeStored) {
  const Outcome outcome = dcmrank(kSmall + "--policy dcm-kl-ucb --json /dev/full");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "dcmrank: writing /dev/full: No space left on device\n");
}

TEST_F(SimulateCommand, ShowsAndWritesTheRestWhereOneOutputFails) {
  const Outcome outcome = dcmrank(kSmall +
                                  "--policy dcm-kl-ucb --json /dev/full --csv a.csv --runs-csv "
                                  "b.csv --table-latex c.tex");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "dcmrank: writing /dev/full: No space left on device\n");
  EXPECT_NE(outcome.out.find("dcm-kl-ucb"), std::string::npos) << outcome.out;
  EXPECT_EQ(files(), (std::vector<std::string>{"a.csv", "b.csv", "c.tex"}));
}

TEST_F(SimulateCommand, RefusesToWriteTheProblemsOfASweepOrAnArena) {
  const std::string problem = R"({"attraction": [0.6, 0.5, 0.4], "termination": [0.5, 0.1]})";
  const std::string grid =
      "policies = [\"dcm-ts\"]\nsteps = [10]\nruns = 1\n[[problems]]\nfiles = ";
  std::filesystem::create_directory(folder() / "made");
  for (const char* name : {"p.json", "made/sweep.json", "made/arena.json"}) file(name, problem);
  file("g.toml", grid + "[\"p.json\"]\n");
  file("h.toml", grid + "[\"made/sweep.json\"]\n");
  const std::vector<std::string> reason{"would be both read and written"};
  for (const char* option : {"--json", "--runs-csv", "--table-latex"}) {
    refuses(std::string("sweep g.toml --out new ") + option + " p.json", reason);
  }
  refuses("sweep h.toml --out made", reason);
  refuses("arena --world made/arena.json --steps 10 --runs 1 --out made", reason);
}

// A file that a command reads is not what it writes: that would be lost.
TEST_F(SimulateCommand, RefusesToWriteWhatItReadsOrOneFileTwice) {
  file("p.json", R"({"attraction": [0.6, 0.5, 0.4], "termination": [0.5, 0.1]})");
  const std::string before = content("p.json");
  const std::string words = "simulate --problem p.json --policy dcm-ts --steps 10 --runs 2 ";
  refuses(words + "--json ./p.json", {"'./p.json' would be both read and written"});
  refuses(words + "--json a --csv ./a", {"'./a' would be written twice"});
  EXPECT_EQ(content("p.json"), before);
  file("log.tsv", "q\ta,b\ta\n");
  refuses("fit --format tsv log.tsv --out log.tsv", {"'log.tsv' would be both read and written"});
  const Outcome counted = dcmrank("count --format tsv log.tsv --out k.counts");
  EXPECT_EQ(counted.status, 0) << counted.err;
  refuses("fit --counts k.counts --out k.counts", {"'k.counts' would be both read and written"});
  EXPECT_EQ(content("log.tsv"), "q\ta,b\ta\n");
  EXPECT_EQ(dcmrank(words + "--json /dev/null --csv /dev/null").status, 0);
}

// The numbers were computed: they are not lost because there is nothing to draw.
TEST_F(SimulateCommand, WritesItsNumbersThoughThePictureFails) {
  file("p.json", R"({"attraction": [0.5, 0.5, 0.5], "termination": [0.5, 0.5]})");
  dcmrank(
      "simulate --problem p.json --policy dcm-ts --steps 10 --runs 2 --json r.json --axes loglog "
      "--plot r.svg");
  EXPECT_NE(content("r.json").find("dcmrank.simulation"), std::string::npos);
}

TEST_F(SimulateCommand, MeetsUsersOfOtherClickModels) {
  file("p.json", R"({"model": "pbm", "attraction": [0.2, 0.9, 0.5], "examination": [0.9, 0.3]})");
  const auto result =
      json("simulate --problem p.json --policy recommended --steps 500 --runs 3 --json -");
  EXPECT_EQ(result["problem"]["model"], "pbm");
  EXPECT_GT(result["policies"][0]["regret"]["mean"], 0);
  refuses("bounds --problem p.json", {"'pbm'", "a DCM"});
  refuses("simulate --problem p.json --policy dcm-ts:terminations=problem", {"DCM users"});
}

}  // namespace
}  // namespace dcmrank::testing
