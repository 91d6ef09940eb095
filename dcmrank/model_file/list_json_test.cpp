#include "dcmrank/model_file/list_json.h"

#include <numeric>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

const ListParameter kTermination{.name = "termination"};
const ListParameter kExamination{.name = "examination", .shape = ListShape::kTriangle};
const ListParameter kAlpha{.name = "alpha", .shape = ListShape::kNumbers, .numbers = 3};
const ListParameter kGamma{.name = "gamma", .shape = ListShape::kNumbers, .numbers = 1};

std::vector<std::size_t> range(std::size_t from, std::size_t to) {
  std::vector<std::size_t> numbers(to - from + 1);
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

TEST(EntriesText, CallsAFewByTheirNames) {
  EXPECT_EQ(entries_text(kTermination, {3, 10}, 10), "position 3, position 10");
  EXPECT_EQ(entries_text(kExamination, {4, 6}, 6),
            "position 3 with the last click 1 above, position 3 without a click above");
  EXPECT_EQ(entries_text(kAlpha, {1, 2, 3}, 3), "alpha1, alpha2, alpha3");
  EXPECT_EQ(entries_text(kGamma, {1}, 1), "gamma");
  EXPECT_EQ(named_entries_text(kTermination, {10}, 10), "termination at position 10");
  EXPECT_EQ(named_entries_text(kAlpha, {3}, 3), "alpha3");
}

TEST(EntriesText, SaysOfManyTheFirstOrTheFewOthers) {
  EXPECT_EQ(entries_text(kExamination, range(2, 55), 55),
            "all but position 1 without a click above");
  EXPECT_EQ(entries_text(kTermination, range(1, 10), 10), "all");
  EXPECT_EQ(entries_text(kTermination, range(4, 12), 12),
            "position 4, position 5, position 6, position 7, position 8 and 4 more");
}

}  // namespace
}  // namespace dcmrank
