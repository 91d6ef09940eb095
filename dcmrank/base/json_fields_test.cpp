#include "dcmrank/base/json_fields.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

using nlohmann::ordered_json;

const ordered_json kJson = ordered_json::parse(
    R"({"name":"a","share":0.5,"rounds":7,"many":18446744073709551615,"whole":4.0,"below":-1,
        "list":[0,0.25,1],"mixed":[1,"x"],"flag":true,"none":null,"inner":{"n":1}})");

template <class Read>
std::string field_refusal(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonFields, AreReadAsWhatTheyAre) {
  EXPECT_EQ(fields::string(kJson, "name"), "a");
  EXPECT_EQ(fields::number(kJson, "share", fields::kProbability), 0.5);
  EXPECT_EQ(fields::number(kJson, "below", fields::kAny), -1);
  EXPECT_EQ(fields::whole_number(kJson, "rounds", 1, UINT64_MAX), 7U);
  EXPECT_EQ(fields::whole_number(kJson, "many", 0, UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(fields::whole_number(kJson, "whole", 0, 10), 4U);
  EXPECT_EQ(fields::numbers(kJson, "list", fields::kProbability),
            (std::vector<double>{0, 0.25, 1}));
  EXPECT_TRUE(fields::boolean(kJson, "flag"));
  EXPECT_EQ(fields::number(fields::object(kJson, "inner"), "n", fields::kAtLeastZero), 1);
  EXPECT_TRUE(fields::has(kJson, "name"));
  EXPECT_FALSE(fields::has(kJson, "nam"));
  EXPECT_FALSE(fields::has(kJson, "none"));
  EXPECT_FALSE(fields::has(kJson["list"], "name"));
}

TEST(JsonFields, AreRefusedByNameAndValue) {
  const auto at_most = [](const char* name, double most) {
    return field_refusal([&] { fields::number(kJson, name, {0, most}); });
  };
  EXPECT_EQ(at_most("absent", 1), "\"absent\" is missing");
  EXPECT_EQ(at_most("rounds", 1), "\"rounds\" is '7', not a number from 0 to 1");
  EXPECT_EQ(at_most("name", 1), "\"name\" is '\"a\"', not a number from 0 to 1");
  EXPECT_EQ(field_refusal([] { fields::number(kJson, "below", fields::kAtLeastZero); }),
            "\"below\" is '-1', not a number of at least 0");
  EXPECT_EQ(field_refusal([] { fields::number(kJson, "none", fields::kAny); }),
            "\"none\" is 'null', not a number");
  EXPECT_EQ(field_refusal([] { fields::member(kJson["list"], "x"); }),
            "'[0,0.25,1]' is not an object");
  EXPECT_EQ(field_refusal([] { fields::object(kJson, "list"); }), "\"list\" is not an object");
  EXPECT_EQ(field_refusal([] { fields::array(kJson, "name"); }), "\"name\" is not an array");
  EXPECT_EQ(field_refusal([] { fields::array(kJson, "list", 2); }),
            "\"list\" has 3 entries, not 2");
  EXPECT_EQ(field_refusal([] { fields::string(kJson, "flag"); }),
            "\"flag\" is 'true', not a string");
  EXPECT_EQ(field_refusal([] { fields::boolean(kJson, "name"); }),
            "\"name\" is '\"a\"', not true or false");
}

TEST(JsonFields, SayWhichEntryOfAListIsAtFault) {
  EXPECT_EQ(field_refusal([] { fields::numbers(kJson, "mixed", fields::kAny); }),
            "mixed[1] is '\"x\"', not a number");
  EXPECT_EQ(field_refusal([] {
              fields::numbers(kJson, "list", {0, 0.5});
            }),
            "list[2] is '1', not a number from 0 to 0.5");
  EXPECT_EQ(field_refusal([] { fields::whole_numbers(kJson, "list", 0, 9); }),
            "list[1] is '0.25', not a whole number from 0 to 9");
}

TEST(JsonFields, TakeNoFractionForAWholeNumber) {
  EXPECT_EQ(field_refusal([] { fields::whole_number(kJson, "share", 1, UINT64_MAX); }),
            "\"share\" is '0.5', not a whole number of at least 1");
  EXPECT_EQ(field_refusal([] { fields::whole_number(kJson, "below", 0, 9); }),
            "\"below\" is '-1', not a whole number from 0 to 9");
  EXPECT_EQ(field_refusal([] { fields::whole_number(kJson, "rounds", 0, 6); }),
            "\"rounds\" is '7', not a whole number from 0 to 6");
}

}  // namespace
}  // namespace dcmrank
