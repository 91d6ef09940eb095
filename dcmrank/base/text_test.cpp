#include "dcmrank/base/text.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(ParseHex, TakesSixteenDigits) {
  EXPECT_EQ(parse_hex("0123456789abcdef"), 0x0123456789abcdefU);
  EXPECT_EQ(parse_hex("ffffffffffffffff"), UINT64_MAX);
  EXPECT_FALSE(parse_hex("123"));
  EXPECT_FALSE(parse_hex("0123456789ABCDEF"));
  EXPECT_FALSE(parse_hex("0123456789abcdeg"));
}

const std::vector<std::string> kNames{"dcm-kl-ucb", "first-click", "last-click"};

TEST(Suggestion, IsTheNearestNameAndNothingWhereNoneIsNear) {
  EXPECT_EQ(suggestion("dcm-kl-ubc", kNames), " (did you mean 'dcm-kl-ucb'?)");
  EXPECT_EQ(suggestion("frist-click", kNames), " (did you mean 'first-click'?)");
  EXPECT_EQ(suggestion("zzz", kNames), "");
}

TEST(ParseWhole, TakesAWholeNumberHoweverItIsWritten) {
  EXPECT_EQ(parse_whole("0"), 0U);
  EXPECT_EQ(parse_whole("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_whole("1e5"), 100'000U);
  EXPECT_EQ(parse_whole("2.5e1"), 25U);
  EXPECT_EQ(parse_whole("1e18"), 1'000'000'000'000'000'000U);
  EXPECT_EQ(parse_whole("9.1e15"), 9'100'000'000'000'000U);
  EXPECT_EQ(parse_whole("1.8446744073709551615e+19"), UINT64_MAX);
  EXPECT_EQ(parse_whole("100e-1"), 10U);
  for (const char* text : {"", "-1", "1.5", "1.8446744073709551616e19", "1e20", "1e99999", "1.55e1",
                           "e5", "1e", "-1e5", "nan", "inf", "many", " 1"}) {
    EXPECT_FALSE(parse_whole(text)) << text;
  }
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_double("0.25"), 0.25);
  EXPECT_EQ(parse_double("0.25x"), std::nullopt);
  EXPECT_EQ(parse_double(""), std::nullopt);
  EXPECT_EQ(parse_double("0,25"), std::nullopt);
  EXPECT_EQ(parse_unsigned("12"), 12U);
  EXPECT_EQ(parse_unsigned("-1"), std::nullopt);
  EXPECT_EQ(parse_unsigned("99999999999999999999"), std::nullopt);
}

TEST(Quote, GivesUtf8WhateverItIsGiven) {
  EXPECT_EQ(quote("a\xff\xfez"), "'a\\xff\\xfez'");
  EXPECT_EQ(quote("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            "'\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80'");
  EXPECT_EQ(quote("\xc0\xaf\xed\xa0\x80\xe2\x82"), "'\\xc0\\xaf\\xed\\xa0\\x80\\xe2\\x82'");
  const std::string cut = quote(std::string(79, 'x') + "\xc3\xa9" + "y");
  EXPECT_EQ(cut, "'" + std::string(79, 'x') + "\xc3\xa9...'") << "no character is cut in two";
}

TEST(Quote, KeepsAMessageOnOneLine) {
  EXPECT_EQ(quote("a\nb\t"), "'a\\x0ab\\x09'");
  EXPECT_EQ(quote(std::string(200, 'x')).size(), 80U + 5);
}

TEST(HowMany, HasASingular) {
  EXPECT_EQ(how_many(1, "page"), "1 page");
  EXPECT_EQ(how_many(0, "page"), "0 pages");
  EXPECT_EQ(how_many(2, "query", "queries"), "2 queries");
  EXPECT_EQ(how_many(1, "query", "queries"), "1 query");
}

}  // namespace
}  // namespace dcmrank
