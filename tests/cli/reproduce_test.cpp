#include <chrono>
#include <csignal>
#include <regex>
#include <set>
#include <string>
#include <thread>

#include "command_test.h"

namespace dcmrank::testing {
namespace {

class ReproduceCommand : public CommandTest {
 protected:
  nlohmann::ordered_json results(const std::string& out) {
    return nlohmann::ordered_json::parse(content(out + "/results.json"));
  }

  bool has(const std::string& name) const { return std::filesystem::exists(folder() / name); }

  std::size_t kept_trials() const {
    std::size_t n = 0;
    if (!has("out/trials")) return 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder() / "out/trials")) {
      n += entry.path().filename().string().front() == '.' ? 0 : 1;
    }
    return n;
  }
};

const std::vector<std::string> kParts{"fig1a", "fig1b", "fig1c",       "fig2a",      "fig2b",
                                      "fig2c", "bias",  "recommended", "other-users"};

TEST_F(ReproduceCommand, WritesEveryFigureThePageAndTheClaims) {
  const Outcome outcome = dcmrank("reproduce --quick");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("open out/report.html"), std::string::npos);
  const auto json = results("out");
  EXPECT_TRUE(json["quick"]);
  const std::string page = content("out/report.html");
  for (const std::string& part : kParts) {
    EXPECT_TRUE(json["figures"].contains(part)) << part;
    EXPECT_FALSE(json["figures"][part]["rows"].empty()) << part;
    EXPECT_NE(content("out/" + part + ".svg").find("</svg>"), std::string::npos) << part;
    EXPECT_EQ(content("out/" + part + ".pdf").substr(0, 4), "%PDF") << part;
    EXPECT_GT(content("out/" + part + ".csv").size(), 50U) << part;
    EXPECT_NE(page.find("<section id=\"" + part + "\">"), std::string::npos) << part;
  }
  for (const char* users : {">DCM<", ">cascade<", ">UBM<"}) {  // not 1 to 6
    EXPECT_NE(content("out/other-users.svg").find(users), std::string::npos) << users;
  }
  // Points of one problem stand side by side, and off the frame.
  const std::string points = content("out/recommended.gnuplot");
  for (const char* part : {"(asymptotic lower bound)", "set xtics ('1' 1, '2' 2, ",
                           "set xrange [0.5:10.5]", "$d0 << END\n0.775 "}) {
    EXPECT_NE(points.find(part), std::string::npos) << part << "\n" << points;
  }
  std::set<std::string> claims;
  for (const auto& claim : json["claims"]) {
    EXPECT_TRUE(claim["holds"].is_boolean() || claim["holds"].is_null());
    EXPECT_FALSE(claim["reason"].get<std::string>().empty());
    EXPECT_FALSE(claim["paper"].get<std::string>().empty());
    EXPECT_FALSE(claim["measured"].get<std::string>().empty());
    claims.insert(claim["id"]);
    EXPECT_NE(outcome.out.find(claim["id"].get<std::string>()), std::string::npos);
    EXPECT_NE(outcome.out.find(claim["paper"].get<std::string>()), std::string::npos);
  }
  for (const char* id :
       {"fig1a-L", "fig1a-K", "fig1a-gap", "fig1b-linear", "fig2a", "fig2b", "fig2c", "bias-linear",
        "bias-bound", "recommended-all", "other-users-linear", "other-users-former"}) {
    EXPECT_TRUE(claims.contains(id)) << id;
  }
}

TEST_F(ReproduceCommand, MarksAQuickRunAndAGeneratedLog) {
  ASSERT_EQ(dcmrank("reproduce --quick --only fig2c").status, 0);
  EXPECT_NE(content("out/fig2c.svg").find("quick"), std::string::npos);
  EXPECT_NE(content("out/fig2c.svg").find("generated log"), std::string::npos);
  EXPECT_TRUE(results("out")["log_is_generated"]);
}

TEST_F(ReproduceCommand, SaysTooShortToTellWhereAQuickRunCannot) {
  const Outcome outcome = dcmrank("reproduce --quick");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("DOES NOT HOLD"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("too short to tell"), std::string::npos) << outcome.out;
  const std::string page = content("out/report.html");
  EXPECT_NE(page.find(">holds<"), std::string::npos);
  EXPECT_NE(page.find(">too short to tell<"), std::string::npos);
  EXPECT_NE(page.find(">not tested<"), std::string::npos);
  EXPECT_EQ(page.find(">does not hold<"), std::string::npos);
}

TEST_F(ReproduceCommand, NeverPrintsAFalseInequality) {
  ASSERT_EQ(dcmrank("reproduce --quick --only fig1a").status, 0);
  const std::regex inequality("([0-9.]+) (<|>) ([0-9.]+)");
  const auto json = results("out");
  for (const auto& claim : json["claims"]) {
    const std::string measured = claim["measured"];
    for (std::sregex_iterator it(measured.begin(), measured.end(), inequality), end; it != end;
         ++it) {
      const double a = std::stod((*it)[1]);
      const double b = std::stod((*it)[3]);
      EXPECT_TRUE((*it)[2] == "<" ? a < b : a > b) << it->str();
    }
  }
}

TEST_F(ReproduceCommand, DoesNotTestClaimsAboutRealLogsWithoutOne) {
  ASSERT_EQ(dcmrank("reproduce --quick --only fig1c --only fig2c").status, 0);
  const auto json = results("out");
  for (const auto& claim : json["claims"]) {
    EXPECT_TRUE(claim["holds"].is_null()) << claim;
    EXPECT_EQ(claim["reason"], "not tested: needs a real log (--log)");
  }
}

TEST_F(ReproduceCommand, SpeaksOnlyOfWhatItMade) {
  const Outcome one = dcmrank("reproduce --quick --only fig2b");
  EXPECT_EQ(one.out.find("1c"), std::string::npos) << one.out;
  EXPECT_EQ(one.out.find("2c"), std::string::npos) << one.out;
  EXPECT_EQ(one.out.find("log"), std::string::npos) << one.out;
  EXPECT_EQ(content("out/report.html").find("generated log"), std::string::npos);
  EXPECT_EQ(content("out/report.html").find("Every experiment"), std::string::npos);
  const Outcome log = dcmrank("reproduce --quick --only fig2c");
  EXPECT_NE(log.out.find("Fig. 2c is from a generated log"), std::string::npos) << log.out;
}

TEST_F(ReproduceCommand, KeepsIdsThatLookLikeNumbers) {
  std::string log;
  for (int i = 0; i < 60; ++i) log += "9007199254740993\ta,b,c\tb\n007\td,e,f\t\n1e3\tg,h\tg\n";
  file("log.tsv", log);
  ASSERT_EQ(dcmrank("reproduce --quick --log log.tsv --format tsv --only fig1c").status, 0);
  std::set<std::string> queries;
  const auto json = results("out");
  for (const auto& row : json["figures"]["fig1c"]["rows"]) {
    ASSERT_TRUE(row["query"].is_string()) << row;
    queries.insert(row["query"]);
    EXPECT_TRUE(row["impressions"].is_number_integer());
    EXPECT_TRUE(row["termination"].is_number_float());
  }
  EXPECT_EQ(queries, (std::set<std::string>{"9007199254740993", "007", "1e3"}));
}

TEST_F(ReproduceCommand, GivesTheSameBytesForTheSameSeedOnAnyNumberOfThreads) {
  ASSERT_EQ(dcmrank("reproduce --quick --threads 1 --out a").status, 0);
  ASSERT_EQ(dcmrank("reproduce --quick --threads 2 --out b").status, 0);
  EXPECT_EQ(content("a/results.json"), content("b/results.json"));
  for (const std::string& part : kParts) {
    EXPECT_EQ(content("a/" + part + ".csv"), content("b/" + part + ".csv")) << part;
  }
  ASSERT_EQ(dcmrank("reproduce --quick --seed 2 --only fig2a --out c").status, 0);
  EXPECT_NE(content("a/fig2a.csv"), content("c/fig2a.csv"));
}

TEST_F(ReproduceCommand, ReadsALogOfTheUser) {
  std::string log;
  for (int i = 0; i < 60; ++i) log += "shoes\ta,b,c\tb\nshirts\td,e,f\t\nsocks\tg\tg\n";
  file("log.tsv", log);
  const Outcome outcome =
      dcmrank("reproduce --quick --log log.tsv --format tsv --only fig1c --only fig2c");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(content("out/fig2c.svg").find("generated log"), std::string::npos);
  EXPECT_NE(content("out/fig1c.csv").find("shoes"), std::string::npos);
  EXPECT_EQ(content("out/fig1c.csv").find("socks"), std::string::npos);  // nothing to rank
  EXPECT_NE(content("out/report.html").find("no more usable queries"), std::string::npos);
}

TEST_F(ReproduceCommand, DoesNotJudgeClaimsAboutQueriesByALogOfFew) {
  std::string log;
  for (int i = 0; i < 60; ++i) log += "shoes\ta,b,c\tb\n";
  file("log.tsv", log);
  const Outcome outcome = dcmrank("reproduce --quick --log log.tsv --only fig1c --only fig2c");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Claims: not tested: 5."), std::string::npos) << outcome.out;
  const auto json = results("out");
  for (const auto& claim : json["claims"]) {
    EXPECT_EQ(claim["reason"],
              "not tested: the log has 1 query to rank, and a claim about its queries needs at "
              "least 5");
  }
}

TEST_F(ReproduceCommand, ContinuesWhereItWasInterrupted) {
  Process process(command("reproduce --only fig2a --threads 1"), folder());
  while (kept_trials() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  process.signal(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(outcome.err, "dcmrank: interrupted; the same command resumes with what is left\n");
  EXPECT_FALSE(has("out/report.html"));
  EXPECT_FALSE(has("out/fig2a.svg"));
  EXPECT_GE(kept_trials(), 1U);
  EXPECT_LT(kept_trials(), 3U);
}

TEST_F(ReproduceCommand, UsesWhatIsFinishedUnlessToldOtherwise) {
  ASSERT_EQ(dcmrank("reproduce --quick --only fig2a").status, 0);
  EXPECT_EQ(kept_trials(), 3U);
  ASSERT_EQ(dcmrank("reproduce --quick --only fig2b").status, 0);
  EXPECT_EQ(kept_trials(), 4U);  // dcm-kl-ucb is shared
  const std::string csv = content("out/fig2a.csv");
  for (const auto& entry : std::filesystem::directory_iterator(folder() / "out/trials")) {
    write(entry.path(), "{\"damaged\":");
  }
  ASSERT_EQ(dcmrank("reproduce --quick --only fig2a").status, 0);
  EXPECT_EQ(content("out/fig2a.csv"), csv);
  ASSERT_EQ(dcmrank("reproduce --quick --only fig2a --fresh").status, 0);
  EXPECT_EQ(kept_trials(), 3U);
}

TEST_F(ReproduceCommand, RefusesWhatItCannotDo) {
  refuses("reproduce --only fig3", {"'fig3'", "fig1a, fig1b"});
  refuses("reproduce --only fig2", {"did you mean 'fig2a'"});
  refuses("reproduce --log x.tsv", {"x.tsv", "No such file"});
  refuses("reproduce --format tsv", {"--format and --columns need --log"});
  refuses("reproduce --seed x", {"--seed is 'x'"});
  file("plain", "");
  refuses("reproduce --quick --out plain", {"--out 'plain'"});
}

TEST_F(ReproduceCommand, RefusesALogWithoutAnythingToRank) {
  file("log.tsv", "socks\tg\tg\n");
  const Outcome outcome = dcmrank("reproduce --quick --log log.tsv --format tsv");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("no query with two items"), std::string::npos);
}

}  // namespace
}  // namespace dcmrank::testing
