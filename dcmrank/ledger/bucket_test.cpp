#include "dcmrank/ledger/bucket.h"

#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/ledger/numbers.h"

namespace dcmrank::service {
namespace {

// Databases are made of these: they must never change.
TEST(Bucket, IsTheSameOnEveryMachine) {
  EXPECT_EQ(bucket_of(1, "shoes"), 207U);
  EXPECT_EQ(bucket_of(-7, std::string_view("a\0b", 3)), 96U);
  EXPECT_EQ(text_key("").substr(0, 2), "\xe3\xb0");
}

TEST(Bucket, SpreadsQueries) {
  std::vector<int> count(kBuckets);
  for (int n = 0; n < 25'600; ++n) ++count[bucket_of(1, std::to_string(n))];
  for (const int some : count) {
    EXPECT_GT(some, 50);
    EXPECT_LT(some, 160);
  }
}

TEST(Numbers, CarryTheirBucketAndGrow) {
  Numbers numbers(5);
  const auto first = numbers.next(200);
  const auto second = numbers.next(3);
  EXPECT_EQ(bucket_of(first), 200U);
  EXPECT_EQ(bucket_of(second), 3U);
  EXPECT_LT(first, second);
  EXPECT_LE(second, numbers.last());
  EXPECT_GT(numbers.next(0), second | 0xffU);
}

TEST(Numbers, GoOnWithTheNextStartWhenOneRunsOut) {
  constexpr std::uint64_t kAll = std::uint64_t{1} << Numbers::kCountBits;
  Numbers numbers(5, kAll - 100);
  EXPECT_TRUE(numbers.is_low());
  EXPECT_FALSE(Numbers(5).is_low());
  numbers.add(6);
  EXPECT_FALSE(numbers.is_low());
  std::mutex mutex;
  std::multiset<std::uint64_t> given;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n) {
        const auto number = numbers.next(7);
        const std::lock_guard lock(mutex);
        given.insert(number);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(std::set<std::uint64_t>(given.begin(), given.end()).size(), 800U);
  EXPECT_LT(*given.rbegin(), std::uint64_t{7} << 40U);
  EXPECT_GT(*given.rbegin(), std::uint64_t{6} << 40U);
}

TEST(Numbers, EndWhereThereIsNoOtherStart) {
  constexpr std::uint64_t kAll = std::uint64_t{1} << Numbers::kCountBits;
  Numbers numbers(5, kAll - 2);
  numbers.next(0);
  EXPECT_THROW(numbers.next(0), std::runtime_error);
  EXPECT_THROW(numbers.next(0), std::runtime_error);
  numbers.add(9);
  EXPECT_GT(numbers.next(0), std::uint64_t{9} << 40U);
}

}  // namespace
}  // namespace dcmrank::service
