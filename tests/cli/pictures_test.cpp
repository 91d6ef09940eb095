#include <chrono>
#include <thread>

#include "command_test.h"

namespace dcmrank::testing {
namespace {

const std::string kPictureGrid = R"(policies = ["dcm-kl-ucb", "recommended"]
steps = 100
runs = 2
[[problems]]
class = "lb"
L = 8
K = [2, 4]
p = 0.3
gap = 0.2
gamma = { from = 0, to = 1, by = 0.5 }
[[problems]]
random = "ubm"
count = 1
)";

const std::string kDrawn =
    "simulate --problem lb:L=8,K=2,p=0.3,gap=0.2,gamma=0.5 --policy dcm-kl-ucb --steps 100 --runs "
    "1 --plot ";

class Pictures : public CommandTest {
 protected:
  void SetUp() override { file("grid.toml", kPictureGrid); }

  Outcome sweep(const std::string& options) {
    return dcmrank("sweep grid.toml --out grid --x gamma --facet policy --series K " + options);
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(Pictures, SayWhichCellsOfASweepTheyLeaveOut) {
  const Outcome outcome = sweep("--plot a.svg");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(has(outcome.err, "2 of 14 cells are not in the picture: they have no gamma"));
  EXPECT_TRUE(has(sweep("--plot a.svg --axes logx").err,
                  "4 of 14 cells are not in the picture: a logarithmic axis has no place for 0"));
  EXPECT_TRUE(has(outcome.out, "1 number of steps)")) << outcome.out;
}

TEST_F(Pictures, HaveOneLegendForAllPanels) {
  const auto titles = [&](const std::string& options, const std::string& label) {
    EXPECT_EQ(sweep("--plot a.svg " + options).status, 0);
    const std::string script = content("a.gnuplot");
    std::size_t n = 0;
    for (auto at = script.find("keyentry"); at != std::string::npos;
         at = script.find("keyentry", at + 1)) {
      n += script.substr(at, script.find('\n', at) - at).find("'" + label + "'") !=
           std::string::npos;
    }
    return n;
  };
  EXPECT_EQ(titles("", "K = 2"), 1U);
  EXPECT_EQ(titles("--plot-legend right", "K = 4"), 1U);
  EXPECT_EQ(titles("--plot-legend top-left", "K = 4"), 0U);  // in the first panel
  EXPECT_TRUE(has(content("a.gnuplot"), "set key inside left top"));
  EXPECT_EQ(titles("--plot-legend none", "K = 4"), 0U);
}

TEST_F(Pictures, KeepAFileOfTheUserBesideThem) {
  file("mine.gnuplot", "my own notes\n");
  const Outcome outcome = dcmrank(kDrawn + "mine.svg");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(has(outcome.err, "mine.gnuplot is not a script of dcmrank")) << outcome.err;
  EXPECT_EQ(content("mine.gnuplot"), "my own notes\n");
  EXPECT_EQ(dcmrank(kDrawn + "ours.svg").err, "");
  EXPECT_EQ(dcmrank(kDrawn + "ours.svg --plot-width 85").err, "");
  EXPECT_TRUE(has(content("ours.gnuplot"), "# Written by dcmrank"));
  file("former.gnuplot", "set encoding utf8\nset terminal svg\n");
  EXPECT_EQ(dcmrank(kDrawn + "former.svg").err, "");
}

TEST_F(Pictures, AreRefusedWhereALogarithmicAxisReachesZero) {
  refuses(kDrawn + "a.svg --axes logx --plot-x-range 0:10", {"x axis is 0:10", "above 0"});
  refuses(kDrawn + "a.svg --axes loglog --plot-y-range -1:10", {"y axis is -1:10", "above 0"});
  refuses("sweep grid.toml --x gamma --plot a.svg --axes logx --plot-x-range 0:1", {"above 0"});
  EXPECT_EQ(dcmrank(kDrawn + "a.svg --axes logx --plot-y-range 0:10").status, 0);
}

// U+E000 is for private use: no font has it, or all say so.
TEST_F(Pictures, HaveAQuestionMarkForALetterThatNoFontHas) {
  const std::string letter = "\xee\x80\x80";
  const Outcome png = dcmrank(kDrawn + "a.png --plot-title x" + letter);
  EXPECT_EQ(png.status, 0);
  if (!png.err.empty()) {
    EXPECT_TRUE(has(png.err, "a.png has a ? in place of 1 such letter")) << png.err;
  }
  EXPECT_TRUE(has(content("a.gnuplot"), letter));
  EXPECT_EQ(dcmrank(kDrawn + "a.svg --plot-title x" + letter).err, "");
  EXPECT_EQ(dcmrank(kDrawn + "a.png --plot-title Größe").err, "");
}

TEST_F(Pictures, NameTheLeastSizeAtWhichTheyCanBeRead) {
  const Outcome outcome = sweep("--plot a.svg --plot-width 85 --plot-height 20");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(has(outcome.err, "a.svg is too small to be read: its 2 panels need at least 85 x "))
      << outcome.err;
  EXPECT_FALSE(has(sweep("--plot a.svg --plot-width 85").err, "too small"));
  EXPECT_TRUE(has(dcmrank(kDrawn + "b.svg --plot-width 20").err, "it needs at least"));
}

TEST_F(Pictures, SayOverWhatTheirPointsAreMeans) {
  const std::string words = "sweep grid.toml --out grid --plot a.svg --x gamma --series K";
  EXPECT_TRUE(has(dcmrank(words).err, "points are means over policy (2 values)"));
  EXPECT_TRUE(has(content("a.svg"), "regret by gamma, means over policy"));
  EXPECT_FALSE(has(dcmrank(words + " --where policy=recommended").err, "means"));
}

TEST_F(Pictures, HaveKindsOfUsersAlongTheAxis) {
  const Outcome outcome =
      dcmrank("sweep grid.toml --out grid --plot a.svg --x model --series policy");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(content("a.gnuplot"), "set xtics ('dcm' 1, 'ubm' 2)"));
}

TEST_F(Pictures, AreTheSameBytesWheneverTheyAreDrawn) {
  for (const std::string name : {"a.tex", "a.pdf", "a.eps", "a.svg", "a.png"}) {
    EXPECT_EQ(dcmrank(kDrawn + name).status, 0);
    const std::string former = content(name);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // dates have seconds
    EXPECT_EQ(dcmrank(kDrawn + name).status, 0);
    EXPECT_EQ(content(name), former) << name;
  }
}

TEST_F(Pictures, CallPoliciesByOtherNames) {
  file("style.toml", "[names]\ndcm-kl-ucb = 'dcmKL-UCB'\ndcm-ts = 'not here'\n");
  EXPECT_EQ(dcmrank(kDrawn + "a.svg --plot-style style.toml --table-latex t.tex").err, "");
  EXPECT_TRUE(has(content("a.svg"), "dcmKL-UCB"));
  EXPECT_TRUE(has(content("t.tex"), "dcmKL-UCB"));
  EXPECT_EQ(dcmrank(kDrawn + "a.svg --plot-style style.toml --name dcm-kl-ucb=Paper's").err, "");
  EXPECT_TRUE(has(content("a.gnuplot"), "Paper''s"));
  refuses(kDrawn + "a.svg --name dcm-ts=TS", {"--name is 'dcm-ts', not one of dcm-kl-ucb"});
}

TEST_F(Pictures, SayWhatRegretCounts) {
  EXPECT_EQ(dcmrank(kDrawn + "a.svg").err, "");
  EXPECT_TRUE(has(content("a.svg"), "Regret in satisfied users, 1 run"));
}

TEST_F(Pictures, AreRefusedWhereNothingWouldBeInThem) {
  refuses(kDrawn + "a.svg --plot-x-range 200:300",
          {"cannot draw a.svg: no point is within 200:300 of the x axis; they go from 1 to 100"});
}

TEST_F(Pictures, AreWrittenForLatex) {
  EXPECT_EQ(dcmrank(kDrawn + "a.tex --plot-title γ_1&5% --plot-width 120").err, "");
  const std::string tex = content("a.tex");
  EXPECT_TRUE(has(tex, "\\usepackage{gnuplot-lua-tikz}"));
  EXPECT_TRUE(has(tex, "$\\gamma$\\_1\\&5\\%"));
}

TEST_F(Pictures, AreDrawnInSeveralFilesAtOnce) {
  EXPECT_EQ(dcmrank(kDrawn + "a.svg --plot b.pdf --plot-width 85").err, "");
  EXPECT_TRUE(has(content("a.svg"), "</svg>"));
  EXPECT_TRUE(has(content("b.pdf"), "%PDF"));
  EXPECT_TRUE(has(content("b.pdf"), "/MediaBox [ 0 0 241 "));  // points: 85.02 mm
}

TEST_F(Pictures, HaveNotesThatNameAllTheirFilesAtOnce) {
  const std::string small = kDrawn + "a.svg --plot b.svg --plot c.svg --plot-width 20";
  const Outcome outcome = dcmrank(small);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(
      has(outcome.err, "note: a.svg, b.svg and c.svg are too small to be read: they need at least"))
      << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_F(Pictures, NameTheFieldsOfTheirStyle) {
  file("style.toml", "x_lable = 'n'\n");
  refuses(kDrawn + "a.svg --plot-style style.toml",
          {"style.toml:1:1: a style has no 'x_lable' (did you mean 'x_label'?)", "font_size"});
  file("style.toml", "x-label = 'rounds'\n");
  EXPECT_EQ(dcmrank(kDrawn + "a.svg --plot-style style.toml").err, "");
  EXPECT_TRUE(has(content("a.svg"), "rounds"));
  EXPECT_TRUE(has(dcmrank("simulate --help").out, "y_range"));
}

// The script beside a picture is an output, too.
TEST_F(Pictures, AreNotDrawnWhereAnotherOutputHasTheNameOfTheirScript) {
  refuses(kDrawn + "a.svg --csv a.gnuplot", {"a.gnuplot", "would be written twice"});
  refuses("arena --random dcm:1 --steps 50 --runs 2 --out . --json arena.gnuplot",
          {"arena.gnuplot", "would be written twice"});
  EXPECT_EQ(dcmrank(kDrawn + "a.svg --plot ./a.png").status, 0);
}

TEST_F(Pictures, ComeWithTablesForLatex) {
  EXPECT_EQ(dcmrank("sweep grid.toml --out grid --table-latex s.tex").status, 0);
  EXPECT_TRUE(has(content("s.tex"),
                  "problem & L & K & $\\gamma$ & policy & regret & difference & linear runs & "
                  "reward \\\\\n\\midrule"))
      << content("s.tex");
  EXPECT_TRUE(
      has(content("s.tex"), "All rows: p = 0.3 (class lb), gap = 0.2 (class lb), 100 steps"))
      << content("s.tex");
  EXPECT_EQ(dcmrank("sweep grid.toml --out grid --where model=dcm --table-latex s.tex").status, 0);
  const std::string table = content("s.tex");
  EXPECT_TRUE(has(table,
                  "\nK & $\\gamma$ & policy & regret & difference & linear runs \\\\\n\\midrule\n2 "
                  "& 0 & dcm-kl-ucb & "))
      << table;
  EXPECT_TRUE(has(
      table, "All rows: class lb, L = 8, p = 0.3, gap = 0.2, 100 steps, 2 runs, seed 1. Regret"))
      << table;
  EXPECT_TRUE(has(content("grid/sweep.csv"), "lb:L=8,K=2,p=0.3,gap=0.2,gamma=0\","));
  EXPECT_EQ(dcmrank("sweep grid.toml --out grid --where model=dcm --where K=2 --where "
                    "gamma=1 --where policy=recommended --table-latex s.tex")
                .status,
            0);
  EXPECT_TRUE(has(content("s.tex"), "policy & regret & difference & linear runs \\\\\n"))
      << content("s.tex");
  EXPECT_EQ(dcmrank("arena --random dcm:1 --steps 50 --runs 2 --table-latex a.tex").status, 0);
  EXPECT_TRUE(has(content("a.tex"), "kind & policy & holds in"));
  EXPECT_TRUE(has(content("a.tex"), "world & kind & L & K"));
  EXPECT_TRUE(has(content("a.tex"), "does not hold. (1) "));
  EXPECT_TRUE(has(content("a.tex"), "{\\footnotesize 50 steps, 2 runs, seed 1. A policy holds"));
  EXPECT_TRUE(has(content("a.tex"), "{\\footnotesize 50 steps, 2 runs, seed 1. Net regret; in"));
  EXPECT_TRUE(
      has(content("a.tex"), "no multiple of it is printed (``--''). ``Times the first'' is"))
      << content("a.tex");
  const std::string words = kDrawn.substr(0, kDrawn.find("--plot")) + "--policy dcm-ts";
  EXPECT_EQ(dcmrank(words + " --table-latex t.tex").status, 0);
  EXPECT_TRUE(has(content("t.tex"), "difference & its std. error & reward \\\\"))
      << content("t.tex");
  EXPECT_TRUE(has(content("t.tex"), "$1.00\\times$ & -- & --")) << content("t.tex");
  EXPECT_TRUE(has(content("t.tex"), "\\footnotesize L = 8, K = 2, 100 steps, 1 run, seed 1."))
      << content("t.tex");
  EXPECT_EQ(dcmrank(words + " --table-latex t.tex --table-timing").status, 0);
  EXPECT_TRUE(has(content("t.tex"), "ns/step"));
  std::string large = kPictureGrid;
  large.replace(large.find("steps = 100"), 11, "steps = [1, 2, 3, 4]");
  file("large.toml", large);
  EXPECT_EQ(dcmrank("sweep large.toml --out large --table-latex l.tex").status, 0);
  EXPECT_TRUE(has(content("l.tex"), "\\begin{longtable}"));
  refuses("arena --random dcm:1 --json - --table-latex -", {"--json and --table-latex"});
  refuses("sweep grid.toml --out g --json - --table-latex -", {"only one of"});
}

}  // namespace
}  // namespace dcmrank::testing
