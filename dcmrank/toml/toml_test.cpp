#include "dcmrank/toml/toml.h"

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

std::string why_not(std::string_view text) {
  try {
    parse_toml(text, "f.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "parsed";
}

TEST(Toml, KeepsValuesWithTheirPlaces) {
  const TomlValue file =
      parse_toml("b = 7\na = ['x', 1.5, true]\n[t]\nday = 2026-11-16\n", "f.toml");
  EXPECT_EQ(*file.find("b")->as<std::int64_t>(), 7);
  EXPECT_EQ(file.find("b")->where, "f.toml:1:1");
  const auto& list = file.find("a")->array("a list");
  EXPECT_EQ(list[0].text(), "x");
  EXPECT_EQ(*list[1].as<double>(), 1.5);
  EXPECT_TRUE(*list[2].as<bool>());
  EXPECT_EQ(list[1].where, "f.toml:2:11");
  const auto* day = file.find("t")->find("day")->as<TomlMoment>();
  ASSERT_NE(day, nullptr);
  EXPECT_EQ(day->month, 11U);
  EXPECT_FALSE(day->has_time);
  EXPECT_EQ(file.find("none"), nullptr);
}

TEST(Toml, KnowsTimesAndTheirOffsets) {
  const TomlValue file = parse_toml("a = 2026-11-16T01:02:03+02:00\nb = 01:02:03\n", "f");
  const auto* moment = file.find("a")->as<TomlMoment>();
  ASSERT_NE(moment, nullptr);
  EXPECT_EQ(moment->seconds, 3723);
  EXPECT_EQ(moment->offset, 120);
  EXPECT_EQ(file.find("b")->as<TomlMoment>(), nullptr);
  EXPECT_EQ(file.find("b")->type_name(), "a date or a time");
}

TEST(Toml, SaysWhereWhatIsWrong) {
  EXPECT_EQ(why_not(" \n\t\n"), "f.toml:1:1: the file is empty");
  EXPECT_EQ(why_not("a = 1\nb = = 2\n").substr(0, 11), "f.toml:2:5:");
  EXPECT_EQ(why_not("a = \"\xff\"").substr(0, 7), "f.toml:");
  const TomlValue file = parse_toml("a = true", "f.toml");
  try {
    (void)file.find("a")->text();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f.toml:1:1: a is a boolean, not a text");
  }
}

}  // namespace
}  // namespace dcmrank
