#include "dcmrank/page/fields.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/text.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

TEST(Fields, AreThoseOfThePlainSplit) {
  Rng rng(1);
  std::vector<std::string_view> fields;
  for (int round = 0; round < 5000; ++round) {
    std::string text(rng.below(70), 'x');
    for (char& c : text) c = rng.below(4) == 0 ? '\t' : static_cast<char>('a' + rng.below(3));
    split_fields(text, '\t', fields);
    EXPECT_EQ(fields, split(text, '\t')) << text;
    std::string_view rest = text;
    std::string_view field;
    const bool found = cut_field(rest, '\t', field);
    EXPECT_EQ(found, text.find('\t') != std::string::npos);
    if (found) {
      EXPECT_EQ(field, fields[0]);
    }
  }
}

TEST(Places, AreThoseOfTheCharacter) {
  Rng rng(2);
  Places places;
  for (int round = 0; round < 5000; ++round) {
    std::string text(rng.below(300), 'x');
    const std::uint64_t often = 1 + rng.below(9);
    for (char& c : text) c = rng.below(often) == 0 ? ',' : 'a';
    const std::size_t size = text.size();
    text.append(kPadding, ',');
    places.find({text.data(), size}, ',');
    std::size_t found = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (text[i] != ',') continue;
      ASSERT_LT(found, places.size());
      ASSERT_EQ(places[found++], i);
    }
    ASSERT_EQ(places.size(), found);
  }
}

}  // namespace
}  // namespace dcmrank
