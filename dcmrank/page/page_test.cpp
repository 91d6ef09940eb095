#include "dcmrank/page/page.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

// Long ids that differ, and short ones: in lists of any length, twice at any two places.
TEST(RepeatedItems, AreFoundWhereverTheyAre) {
  Rng rng(1);
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t size = 1 + rng.below(round % 10 == 0 ? 100 : 20);
    std::set<std::string> names;
    while (names.size() < size) {
      const std::string name = std::to_string(rng.below(100'000));
      names.insert(rng.below(8) == 0 ? "an id of more than two words " + name : name);
    }
    std::vector<std::string> list(names.begin(), names.end());
    std::vector<Id> items(list.begin(), list.end());
    ASSERT_FALSE(has_repeated_item(items));
    if (size == 1) continue;
    const std::size_t first = rng.below(size);
    const std::size_t second = (first + 1 + rng.below(size - 1)) % size;
    items[first] = Id(list[second]);
    ASSERT_TRUE(has_repeated_item(items));
  }
}

}  // namespace
}  // namespace dcmrank
