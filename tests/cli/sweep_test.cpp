#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "command_test.h"
#include "dcmrank/base/effort_test.h"

namespace dcmrank::testing {
namespace {

const std::string kGrid = R"(policies = ["dcm-kl-ucb", "dcm-ts", "recommended"]
runs = 2
[[problems]]
class = "lb"
L = 8
K = 2
p = 0.3
gap = 0.2
gamma = { from = 0.2, to = 1, by = 0.2 }
)";

class SweepCommand : public CommandTest {
 protected:
  std::size_t cells(const std::string& out) const {
    std::error_code none;
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder() / out / "cells", none)) {
      n += entry.path().filename().string().front() == '.' ? 0 : 1;
    }
    return n;
  }

  /// Starts the sweep, and kills it once `more` cells have been finished since; false where it had
  /// finished before.
  bool kill_after(std::size_t more, const std::string& words, const std::string& out) {
    const std::size_t before = cells(out);
    Process process(command(words), folder());
    while (process.running() && cells(out) < before + more) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    process.signal(SIGKILL);
    return process.wait().status == 128 + SIGKILL;
  }
};

TEST_F(SweepCommand, GivesTheBytesOfTheUninterruptedOneWhenKilledThreeTimes) {
  file("grid.toml", fmt::format("steps = [100, 1000, 2000, {}]\n", effort(40000, 4000)) + kGrid);
  ASSERT_EQ(dcmrank("sweep grid.toml --out whole --threads 1").status, 0);
  EXPECT_EQ(cells("whole"), 60U);
  const std::string words = "sweep grid.toml --out killed --threads 2";
  for (int n = 0; n < 3; ++n) EXPECT_TRUE(kill_after(3, words, "killed"));
  EXPECT_LT(cells("killed"), 60U);
  EXPECT_FALSE(std::filesystem::exists(folder() / "killed/sweep.csv"));
  const Outcome outcome = dcmrank(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("60 cells (5 problems, 3 policies, 4 numbers of steps)"),
            std::string::npos)
      << outcome.out;
  for (const char* name : {"/sweep.csv", "/sweep.json"}) {
    EXPECT_EQ(content("killed" + std::string(name)), content("whole" + std::string(name)));
  }
}

TEST_F(SweepCommand, IsDoneInPartsThatShareAFolder) {
  file("grid.toml", "steps = 100\n" + kGrid);
  ASSERT_EQ(dcmrank("sweep grid.toml --out whole").status, 0);
  for (int part = 1; part <= 4; ++part) {
    const Outcome outcome = dcmrank(fmt::format("sweep grid.toml --out parts --part {}/4", part));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(fmt::format("Part {} of 4", part)), std::string::npos);
  }
  EXPECT_EQ(cells("parts"), 15U);
  EXPECT_FALSE(std::filesystem::exists(folder() / "parts/sweep.csv"));
  ASSERT_EQ(dcmrank("sweep grid.toml --out parts").status, 0);
  EXPECT_EQ(content("parts/sweep.csv"), content("whole/sweep.csv"));
}

TEST_F(SweepCommand, SaysWhatItReplacesOfTheTableOfAnotherGrid) {
  const std::string more =
      "steps = [50, 100]\n" + kGrid + "[[problems]]\nrandom = \"ccm\"\ncount = 1\n";
  file("grid.toml", "steps = 50\n" + kGrid);
  file("more.toml", more);
  EXPECT_EQ(dcmrank("sweep grid.toml").err, "");
  EXPECT_EQ(dcmrank("sweep grid.toml").err, "");
  EXPECT_EQ(dcmrank("sweep more.toml").err, "");  // which has all of its cells
  const Outcome outcome = dcmrank("sweep grid.toml");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(
      outcome.err.find("sweep/sweep.csv will be replaced, and the new table will lack 21 rows"),
      std::string::npos)
      << outcome.err;
}

TEST_F(SweepCommand, ComparesPoliciesAndExplainsItsColumns) {
  file("grid.toml", "steps = 50\n" + kGrid);
  file("large.toml", "steps = [10, 20, 30, 40, 50]\n" + kGrid);
  const std::string out = dcmrank("sweep grid.toml").out;
  for (const char* part :
       {"difference  linear runs\n", "from the first policy's", "A run is linear if"}) {
    EXPECT_NE(out.find(part), std::string::npos) << part << "\n" << out;
  }
  const std::string large = dcmrank("sweep large.toml --out large").out;
  EXPECT_NE(
      large.find("75 cells (5 problems, 3 policies, 5 numbers of steps), more than the 60 that "
                 "are printed: large/sweep.csv"),
      std::string::npos)
      << large;
}

TEST_F(SweepCommand, ShowsTheRowsAndMeansAskedFor) {
  file("grid.toml", "steps = [50, 100]\n" + kGrid);
  const auto rows = [&](const std::string& words) {
    const std::string out = dcmrank("sweep grid.toml " + words).out;
    return std::pair(
        out, std::count(out.begin(),
                        out.begin() + static_cast<std::ptrdiff_t>(out.find("\nRegret")), '\n'));
  };
  EXPECT_EQ(rows("--where gamma=1 --where policy=dcm-ts").second, 2 + 1);
  const auto [out, n] = rows("--table-by K --where steps=100 --table-latex t.tex --name dcm-ts=TS");
  EXPECT_NE(out.find("policy  cells"), std::string::npos) << out;
  EXPECT_NE(out.find("dcm-ts      5"), std::string::npos) << out;
  const std::string latex = content("t.tex");
  EXPECT_NE(latex.find("Means over the cells of a row"), std::string::npos) << latex;
  EXPECT_NE(latex.find("Regret counts satisfied users."), std::string::npos) << latex;
  EXPECT_NE(latex.find("All rows: class lb, L = 8, K = 2, p = 0.3, gap = 0.2, 100 steps, 5 cells "
                       "each, 2 runs, seed 1. "),
            std::string::npos)
      << latex;
  EXPECT_NE(latex.find("\nTS & "), std::string::npos) << latex;
  EXPECT_NE(latex.find("{lrr"), std::string::npos) << latex;
}

// What tells no row apart is in no column, but it is what the experiment was.
TEST_F(SweepCommand, SaysTheSizeOfTheExperimentBelowTablesForLatex) {
  const std::string random = "[[problems]]\nrandom = \"ubm\"\nL = 8\nK = 3\ncount = 2\n";
  file("grid.toml", "steps = 100\n" + kGrid + random);
  const auto note = [&](const std::string& words) {
    EXPECT_EQ(dcmrank("sweep grid.toml --table-latex t.tex " + words).status, 0);
    const std::string latex = content("t.tex");
    const std::size_t from = latex.find("All rows: ");
    return latex.substr(from, latex.find(". Regret and") - from);
  };
  EXPECT_EQ(note("--table-by K,gamma"),
            "All rows: L = 8, p = 0.3 (class lb), gap = 0.2 (class lb), 100 steps, 2 runs, seed 1");
  EXPECT_EQ(note("--table-by K --where gamma=0.6"),
            "All rows: class lb, L = 8, K = 2, p = 0.3, gap = 0.2, $\\gamma$ = 0.6, 100 steps, "
            "1 cell each, 2 runs, seed 1");
  EXPECT_EQ(note("--where model=ubm"),
            "All rows: model = ubm, L = 8, K = 3, world seed = 1, 100 steps, 2 runs, seed 1");
}

TEST_F(SweepCommand, OrdersNumbersAndNamesItsColumnsInWords) {
  file("grid.toml",
       "policies = \"dcm-ts\"\nsteps = 50\nruns = 2\n[[problems]]\nclass = \"lb\"\nL = 12\n"
       "K = [10, 2, 4]\np = 0.3\ngap = 0.2\ngamma = 0.5\n"
       "[[problems]]\nrandom = \"pbm\"\ncount = 1\nL = 12\nK = [9, 3]\n");
  const Outcome outcome =
      dcmrank("sweep grid.toml --table-by K --table-latex t.tex --plot s.svg --x K");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::vector<std::string> numbers;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    numbers.push_back(line.substr(0, line.find(' ')));
  }
  EXPECT_EQ(numbers, (std::vector<std::string>{"K", "2", "3", "4", "9", "10"})) << outcome.out;
  EXPECT_NE(content("t.tex").find("K & reward & regret"), std::string::npos) << content("t.tex");
  EXPECT_EQ(content("t.tex").find("\\_"), std::string::npos) << content("t.tex");
  EXPECT_NE(outcome.out.find(": sweep/sweep.csv, sweep/sweep.json, t.tex, s.svg\n"),
            std::string::npos)
      << outcome.out;
}

TEST_F(SweepCommand, SaysHowManyCellsAreKept) {
  file("grid.toml", "steps = 50\n" + kGrid);
  file("more.toml", "steps = [50, 60]\n" + kGrid);
  EXPECT_EQ(dcmrank("sweep grid.toml").out.find("kept from before"), std::string::npos);
  EXPECT_EQ(dcmrank("sweep more.toml").out.find("15 of 30 cells are kept from before\n"), 0U);
  const Outcome part = dcmrank("sweep more.toml --part 1/2");
  EXPECT_EQ(part.out.find("15 of 15 cells are kept from before\n"), 0U) << part.out;
}

TEST_F(SweepCommand, DrawsChosenColumns) {
  file("grid.toml", "steps = [50, 100]\n" + kGrid);
  const Outcome outcome = dcmrank(
      "sweep grid.toml --plot s.svg --x gamma --series steps --facet policy --runs-csv r.csv");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string svg = content("s.svg");
  for (const char* part : {"policy = dcm-kl-ucb", "policy = recommended", "steps = 50", "</svg>"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
  const std::string runs = content("r.csv");
  EXPECT_EQ(std::count(runs.begin(), runs.end(), '\n'), 1 + 30 * 2);
}

TEST_F(SweepCommand, RefusesWhatItCannotDo) {
  file("grid.toml", "steps = 100\n" + kGrid);
  file("empty.toml", "");
  file("cut.toml", "policies = [\"dcm-ts\"");
  refuses("sweep", {"FILE is required"});
  refuses("sweep none.toml", {"none.toml", "No such file"});
  refuses("sweep empty.toml", {"empty.toml:1:1", "the file is empty"});
  refuses("sweep cut.toml", {"cut.toml:1:"});
  refuses("sweep grid.toml --part 5/4", {"--part is '5/4'", "such as 1/5"});
  refuses("sweep grid.toml --part 2", {"--part is '2'"});
  refuses_empty("sweep grid.toml --part");
  for (const std::string output : {"--json -", "--runs-csv r.csv", "--table-latex t.tex"}) {
    refuses("sweep grid.toml --part 1/2 " + output,
            {output.substr(0, output.find(' ')) + " writes nothing with --part"});
  }
  refuses("sweep grid.toml --plot s.svg", {"--plot needs --x"});
  refuses("sweep grid.toml --x gamma", {"--x needs --plot"});
  refuses("sweep grid.toml --plot s.svg --x gama", {"--x is 'gama'", "did you mean 'gamma'"});
  refuses("sweep grid.toml --plot s.svg --x policy --axes logx", {"--x policy has names"});
  refuses("sweep grid.toml --plot s.svg --x gamma --y policy", {"--y policy", "is not a number"});
  refuses("sweep grid.toml --where gamma=2", {"--where gamma is '2'"});
  refuses("sweep grid.toml --table-by gama", {"--table-by is 'gama'", "did you mean 'gamma'"});
  refuses("sweep grid.toml --table-by K,regret", {"--table-by regret: it is a result"});
  refuses("sweep grid.toml --name dcm-tt=TS", {"--name is 'dcm-tt'", "did you mean 'dcm-ts'"});
  refuses("sweep grid.toml --plot s.svg --x gamma --plot-x-range 5:6",
          {"cannot draw s.svg: no point is within 5:6 of the x axis; they go from 0.2 to 1"});
  refuses("sweep grid.toml --plot s.svg --x gamma --where gamma=2", {"--where gamma is '2'"});
  refuses("sweep grid.toml --plot s.gif --x gamma", {"s.gif", ".svg, .png, .pdf"});
  refuses("sweep grid.toml --plot s.svg --x gamma --axes log", {"--axes is 'log'"});
  refuses("sweep grid.toml --json - --runs-csv -", {"only one of"});
  refuses("sweep grid.toml --json grid.toml", {"grid.toml"});
}

}  // namespace
}  // namespace dcmrank::testing
