// What used to be taken without a word, and was not what was meant.
#include "log_commands_test.h"

namespace dcmrank::testing {
namespace {

class Silence : public LogCommands {};

TEST_F(Silence, IsNotKeptOfALogThatIsGivenTwice) {
  refuses("fit log.tsv ./log.tsv --out m.json", {"'./log.tsv' is given twice"});
  file("other.tsv", kLog);  // the same pages may be meant
  EXPECT_EQ(dcmrank("fit log.tsv other.tsv --out m.json").status, 0);
}

}  // namespace
}  // namespace dcmrank::testing
