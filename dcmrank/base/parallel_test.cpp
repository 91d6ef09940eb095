#include "dcmrank/base/parallel.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(ParallelFor, CallsEveryIndexOnce) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    std::vector<std::atomic<int>> calls(1000);
    parallel_for(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    for (const auto& n : calls) EXPECT_EQ(n, 1);
  }
}

TEST(ParallelFor, RethrowsAFailureAndStopsTheRest) {
  std::atomic<int> calls = 0;
  const auto body = [&](std::size_t i) {
    ++calls;
    if (i == 3) throw std::runtime_error("three");
  };
  EXPECT_THROW(parallel_for(1'000'000, 2, body), std::runtime_error);
  EXPECT_LT(calls, 1'000'000);
}

TEST(ParallelFor, DoesNothingForNothing) {
  parallel_for(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ResolveThreads, TakesAllCoresForZero) {
  EXPECT_EQ(resolve_threads(3), 3U);
  EXPECT_GE(resolve_threads(0), 1U);
}

}  // namespace
}  // namespace dcmrank
