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

}  // namespace
}  // namespace dcmrank
