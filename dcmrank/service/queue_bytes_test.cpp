#include <gtest/gtest.h>

#include "dcmrank/service/writer.h"

namespace dcmrank::service {
namespace {

TEST(QueueBytes, AreTakenUpToTheirBoundAndGivenBack) {
  QueueBytes queue(100);
  EXPECT_TRUE(queue.take("", 60));
  EXPECT_FALSE(queue.take("", 41));
  EXPECT_TRUE(queue.take("", 40));
  EXPECT_FALSE(queue.take("shop", 1));
  queue.give("", 60);
  EXPECT_EQ(queue.taken(), 40U);
  EXPECT_TRUE(queue.take("", 60));
}

TEST(QueueBytes, OfAKeyAreAtMostHalf) {
  QueueBytes queue(100);
  EXPECT_EQ(queue.most_of("shop"), 50U);
  EXPECT_EQ(queue.most_of(""), 100U);
  EXPECT_FALSE(queue.take("shop", 51)) << "however empty it is";
  EXPECT_TRUE(queue.take("shop", 30));
  EXPECT_FALSE(queue.take("shop", 21));
  EXPECT_TRUE(queue.take("other", 50));
  queue.give("shop", 30);
  EXPECT_TRUE(queue.take("shop", 50));
}

}  // namespace
}  // namespace dcmrank::service
