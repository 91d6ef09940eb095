#include "dcmrank/users/screen.h"

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

TEST(ScreenDepths, AreOneDepthOrSeveralWithTheirChances) {
  EXPECT_EQ(parse_screen_depths("2", 3), (ScreenDepths{0, 1, 0}));
  EXPECT_EQ(parse_screen_depths("1:.25,3:.75", 3), (ScreenDepths{.25, 0, .75}));
}

TEST(ScreenDepths, HaveChancesThatAddUpToOne) {
  EXPECT_EQ(parse_screen_depths("1:.333,2:.333,3:.333", 3), (ScreenDepths{1. / 3, 1. / 3, 1. / 3}));
  for (const char* text : {"1:0.5", "1:0.5,2:0.6", "1:1,3:3", "1,2"}) {
    EXPECT_THROW(parse_screen_depths(text, 3), InputError) << text;
  }
}

TEST(ScreenDepths, RefuseWhatIsNoDepthOrNoChance) {
  for (const char* text : {"", "0", "4", "x", "2:", "2:x", "2:-1", "2:nan", "2:inf", "1:0,2:0"}) {
    EXPECT_THROW(parse_screen_depths(text, 3), InputError) << text;
  }
}

}  // namespace
}  // namespace dcmrank
