#include "dcmrank/base/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

using nlohmann::ordered_json;

std::string refusal(const std::string& text) {
  try {
    parse_json(text, "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseJson, NamesFileLineAndByteOfAnError) {
  // The words after the place are those of the library, which change with its version.
  const auto place = [](const std::string& text) { return refusal(text).substr(0, 25); };
  EXPECT_EQ(place("{\"a\": [1,\n  2,\n  x]}"), "f.json: line 3, byte 18: ");
  EXPECT_EQ(place("{\"a\": [1,\n  2"), "f.json: line 2, byte 14: ");
  EXPECT_EQ(refusal(""), "f.json: line 1, byte 1: unexpected end: it is empty");
  EXPECT_EQ(refusal("dcmrank.counts\t1\n"),
            "f.json: line 1, byte 1: not JSON, but another file of dcmrank (dcmrank.counts)");
}

TEST(ParseJson, RefusesInvalidUtf8InOneLine) {
  const std::string message = refusal("[\"\xff\xfe\"]");
  EXPECT_NE(message.find("f.json"), std::string::npos);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(ParseJson, ShowsNoByteThatATerminalObeys) {
  const std::string message = refusal(
      "{\"a\":[0.5,\x9b"
      "31m]}");
  EXPECT_NE(message.find("\\x9b"), std::string::npos) << message;
  EXPECT_EQ(message, printable(message));
  for (const char* text : {"[\"\xff\"]", "[\"\x1b\"]", "\x1b", "[\xc2\x9b]", "[\x7f]",
                           "[1\xc2\x9b]", "dcmrank.\x1b[31m\t1", "[tr\x9b]"}) {
    EXPECT_EQ(refusal(text), printable(refusal(text)));
  }
}

TEST(ParseJson, RefusesANumberThatNoDoubleHolds) { EXPECT_NE(refusal("[1e999]"), ""); }

TEST(PrintJson, KeepsFlatArraysOnOneLine) {
  const ordered_json json{{"b", {1, 2, 3}}, {"a", {{"x", 1}}}, {"c", ordered_json::array()}};
  EXPECT_EQ(print_json(json),
            "{\n  \"b\": [1,2,3],\n  \"a\": {\n    \"x\": 1\n  },\n  \"c\": []\n}\n");
}

TEST(PrintJson, WritesNumbersThatReadBackTheSame) {
  Rng rng(1);
  ordered_json numbers = ordered_json::array();
  for (int i = 0; i < 10000; ++i) numbers.push_back(std::ldexp(rng.uniform(), i % 100 - 50));
  EXPECT_EQ(parse_json(print_json(numbers), "x"), numbers);
}

}  // namespace
}  // namespace dcmrank
