#include "dcmrank/grid/running_program.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

// Debian's compilers have the linker name what it makes: 20 bytes, which a stripped copy keeps.
TEST(RunningProgram, IsCalledWhatItsLinkerCalledIt) {
  const std::string name = running_program();
  EXPECT_EQ(name.size(), 40U) << name;
  EXPECT_EQ(name.find_first_not_of("0123456789abcdef"), std::string::npos) << name;
  EXPECT_EQ(running_program(), name);
}

TEST(RunningProgram, TextsThatDifferHaveNamesThatDiffer) {
  EXPECT_EQ(name_of_text("a"), name_of_text("a"));
  EXPECT_NE(name_of_text("a"), name_of_text("b"));
  EXPECT_NE(name_of_text(""), name_of_text(std::string(1, '\0')));
  EXPECT_NE(name_of_text("12345678"), name_of_text("123456789"));
}

}  // namespace
}  // namespace dcmrank
