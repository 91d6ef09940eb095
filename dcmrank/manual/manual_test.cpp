#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "dcmrank/manual/completion.h"
#include "dcmrank/manual/man_page.h"
#include "dcmrank/manual/offer.h"

namespace dcmrank::manual {
namespace {

class ManualTest : public ::testing::Test {
 protected:
  ManualTest() {
    app_.set_version_flag("--version", "1");
    CLI::App* command = app_.add_subcommand("count", "Count what's [there]: sheep");
    command->add_option("--steps", steps_, "How many: at most 3")
        ->type_name("N")
        ->capture_default_str();
    command->add_flag("--loud", loud_, "Say it");
    offer(command->add_option("--kind", kind_, "Of what")->type_name("KIND"), {"sheep", "goats"});
    command->add_option("file", file_, "What to read")->type_name("FILE")->required();
    command->footer("Example:\n  dcmrank count x\n.hidden");
  }

  CLI::App app_{"All about it"};
  std::string steps_ = "7";
  std::string file_;
  std::string kind_;
  bool loud_ = false;
};

TEST_F(ManualTest, TakesItsWordsFromTheDefinitions) {
  const Program program = words_of(app_);
  ASSERT_EQ(program.commands.size(), 1U);
  const Command& command = program.commands[0];
  ASSERT_EQ(command.options.size(), 5U);  // --help, too
  EXPECT_EQ(command.options[1].names, std::vector<std::string>{"--steps"});
  EXPECT_EQ(command.options[1].value, "N");
  EXPECT_EQ(command.options[1].usual, "7");
  EXPECT_EQ(command.options[2].value, "");
  EXPECT_EQ(command.options[3].value, "KIND");  // nothing of what is offered
  EXPECT_EQ(command.options[3].words, (std::vector<std::string>{"sheep", "goats"}));
  EXPECT_EQ(command.options[1].words, std::vector<std::string>{});
  EXPECT_TRUE(command.options[4].positional);
  EXPECT_TRUE(command.options[4].required);
}

TEST_F(ManualTest, WritesAPageForEachCommand) {
  const auto pages = man_pages(words_of(app_), "0.1");
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(pages[0].file, "dcmrank.1");
  EXPECT_EQ(pages[1].file, "dcmrank-count.1");
  for (const char* part :
       {".TH DCMRANK\\-COUNT 1", "\\fB\\-\\-steps\\fR \\fIN\\fR\nHow many: at most 3 (default: 7)",
        "\\fIFILE\\fR\n", "\n\\&.hidden\n"}) {
    EXPECT_NE(pages[1].text.find(part), std::string::npos) << part << "\n" << pages[1].text;
  }
}

TEST_F(ManualTest, CompletesCommandsAndOptionsInEveryShell) {
  const Program program = words_of(app_);
  EXPECT_NE(bash_completion(program).find("count) words='--help -h --steps --loud --kind'"),
            std::string::npos)
      << bash_completion(program);
  EXPECT_NE(zsh_completion(program).find("'count:Count what'\\''s [there]\\: sheep'"),
            std::string::npos)
      << zsh_completion(program);
  EXPECT_NE(zsh_completion(program).find("'*--steps=[How many: at most 3]:N:_files'"),
            std::string::npos);
  EXPECT_NE(fish_completion(program).find("-l steps -r -d 'How many: at most 3'"),
            std::string::npos);
  EXPECT_NE(fish_completion(program).find("-l loud -d 'Say it'"), std::string::npos);
}

TEST_F(ManualTest, RefusesNoOtherWordThanThoseThatItOffers) {
  app_.parse("count --kind cows x");
  EXPECT_EQ(kind_, "cows");
}

}  // namespace
}  // namespace dcmrank::manual
