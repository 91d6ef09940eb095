#include "dcmrank/base/choices.h"

#include <string>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

const Choices<int> kChoices{{"linear", 1}, {"logx", 2}};

TEST(Choices, AreFoundByTheirWords) {
  EXPECT_EQ(choose("--axes", "linear", kChoices), 1);
  EXPECT_EQ(choose("--axes", "logx", kChoices), 2);
}

TEST(Choices, AreFoundByAMemberOfTheEntries) {
  struct Entry {
    const char* name;
    int value;
  };
  const std::vector<Entry> entries{{"a", 1}, {"b", 2}};
  EXPECT_EQ(choose("x", "b", entries, &Entry::name).value, 2);
  EXPECT_EQ(names_of(entries, &Entry::name), (std::vector<std::string>{"a", "b"}));
}

TEST(Choices, NameAllThatThereIsAndTheNearestWhereNoneIsMeant) {
  try {
    choose("--axes", "log", kChoices);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "--axes is 'log', not one of linear, logx (did you mean 'logx'?)");
  }
}

}  // namespace
}  // namespace dcmrank
