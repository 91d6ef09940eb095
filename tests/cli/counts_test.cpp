// Counts of parts of a log, and models fitted to them.
#include <string>

#include "log_commands_test.h"

namespace dcmrank::testing {
namespace {

// Days of users whose lists are random, so that tails differ.
class Days : public LogCommands {
 protected:
  void make_days(const std::string& models) {
    for (const std::string day : {"1", "2", "3"}) {
      does("generate --problem lb:L=9,K=5,p=0.5,gap=0.3,gamma=0.4 --impressions 700 --seed " + day +
           " --format tsv --out day" + day);
      does("count day" + day + (models.empty() ? "" : " --for " + models) + " --out " + day +
           ".counts");
    }
  }
};

TEST_F(Days, GiveByEmTheBytesOfOnePassInAnyOrderAndNumberOfThreads) {
  make_days("all");
  for (const std::string model :
       {"dcm --method em", "dcm --method em --termination shared", "dcm", "cascade", "dctr", "pbm",
        "ubm", "dbn", "sdbn --method em", "sdbn", "ccm --top 1 --prior 2,3"}) {
    const std::string fit = "fit --tolerance 1e-6 --model " + model;
    does(fit + " day1 day2 day3 --threads 1 --out whole.json");
    does(fit + " --counts 1.counts 2.counts 3.counts --threads 1 --out parts.json");
    does(fit + " --counts 3.counts 1.counts 2.counts --threads 3 --out others.json");
    EXPECT_EQ(content("parts.json"), content("whole.json")) << model;
    EXPECT_EQ(content("others.json"), content("whole.json")) << model;
  }
}

TEST_F(Days, AreCountedToTheSameBytesByAnyNumberOfThreads) {
  make_days("all");
  does("count day1 day2 day3 --for all --threads 1 --out one.counts");
  does("count day3 day1 day2 --for all --threads 3 --out three.counts");
  EXPECT_EQ(content("one.counts"), content("three.counts"));
  does("count day1 --for dcm,pbm --out few.counts");
  EXPECT_TRUE(content("few.counts").starts_with("dcmrank.counts\t2\nholds\ttails\tpositions\n"));
  does("fit --model pbm --counts few.counts --out few.json");
  does("fit --model pbm day1 --out whole.json");
  EXPECT_EQ(content("few.json"), content("whole.json"));
}

TEST_F(Days, WithoutWhatEmNeedsAreRefused) {
  make_days("");
  EXPECT_TRUE(content("1.counts").starts_with("dcmrank.counts\t1\n"));
  does("count day1 --for dcm --out em.counts");
  refuses("fit --counts em.counts 2.counts --method em --out m.json",
          {"2.counts: the counts lack what dcm needs for method em: count the log with --for dcm"});
  refuses("fit --counts em.counts --model ubm --out m.json", {"em.counts: ", "--for ubm"});
  refuses("fit --counts em.counts --model dbn --out m.json", {"em.counts: ", "--for dbn"});
  does("fit --counts em.counts 2.counts --out m.json");
  refuses("count --format tsv day1 --for dmc --out x", {"--for", "'dmc'"});
  refuses("count --format tsv day1 --for dcm --max-tails 5 --out x",
          {"more than 5 distinct tails", "--max-tails"});
  refuses("fit --counts em.counts --method em --max-tails 5 --out x",
          {"more than 5 distinct tails", "--max-tails"});
  refuses("count --format tsv day1 --for dcm --max-tails 0 --out x", {"--max-tails"});
}

TEST_F(Days, ThatAreGivenTwiceAreNoticed) {
  make_days("");
  refuses("fit --counts 1.counts 2.counts ./1.counts --out m.json",
          {"--counts: ./1.counts is given twice"});
  file("copy.counts", content("1.counts"));
  const std::string told = does("fit --counts 1.counts 2.counts copy.counts --out m.json");
  EXPECT_NE(told.find("dcmrank: copy.counts counts the same 700 pages as 1.counts"),
            std::string::npos)
      << told;
  EXPECT_EQ(does("fit --counts 1.counts 2.counts --out m.json"), "");
}

}  // namespace
}  // namespace dcmrank::testing
