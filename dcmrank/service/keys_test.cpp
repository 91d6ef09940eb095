// Keys and their limits, without a service.
#include "dcmrank/service/keys.h"

#include <thread>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/service/rate_limits.h"

namespace dcmrank::service {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Moments, AreReadAndPrinted) {
  EXPECT_EQ(parse_moment("1970-01-01"), 0);
  EXPECT_EQ(parse_moment("2027-01-31"), 1'801'353'600);
  EXPECT_EQ(parse_moment("2027-01-31T12:34:56Z"), 1'801'353'600 + 45'296);
  EXPECT_EQ(print_moment(1'801'353'600 + 45'296), "2027-01-31T12:34:56Z");
  EXPECT_EQ(parse_moment("2028-02-29"), parse_moment("2028-02-29T00:00:00Z"));
  for (const char* text :
       {"", "2027", "2027-1-31", "2027-02-29", "2027-13-01", "2027-00-01", "2027-01-31 ",
        "2027-01-31T12:34:56", "2027-01-31T12:34:56+", "2027-01-31T24:00:00Z",
        "2027-01-31T00:60:00Z", "2027-01-31T00:00:60Z", "+027-01-31", "2027-01-31T00:00:0xZ"}) {
    EXPECT_FALSE(parse_moment(text)) << text;
  }
}

TEST(KeyLines, MayHaveANameAnExpiryAndLimits) {
  const std::string hash = "sha256:0123456789abcdef" + std::string(48, '0');
  const auto entries =
      parse_keys_file(hash + " rank,feedback shop\n" + hash +
                          " admin * name=root expires=2027-01-31 rate=0 burst=7 held=9\n",
                      "keys");
  ASSERT_EQ(entries.size(), 2U);
  const Grant& plain = entries[0].grant;
  EXPECT_EQ(plain.name, "01234567");
  EXPECT_EQ(plain.model, "shop");
  EXPECT_EQ(plain.id, 0x0123456789abcdefU);
  EXPECT_EQ(print_scopes(plain), "rank,feedback");
  EXPECT_FALSE(plain.rate || plain.burst || plain.held || entries[0].expires);
  const Grant& whole = entries[1].grant;
  EXPECT_EQ(whole.name, "root");
  EXPECT_EQ(whole.model, "");
  EXPECT_EQ(whole.id, plain.id);
  EXPECT_EQ(whole.rate, 0U);
  EXPECT_EQ(whole.burst, 7U);
  EXPECT_EQ(whole.held, 9U);
  EXPECT_EQ(entries[1].expires, 1'801'353'600);
  EXPECT_EQ(print_hash(entries[1]), hash);
  EXPECT_THROW(Keys{entries}, InputError);  // the same key twice
}

TEST(KeyRing, GivesTheKeysThatHoldNow) {
  KeyRing ring(std::make_shared<const Keys>());
  const auto before = ring.version();
  const auto old = ring.get();
  EXPECT_FALSE(old->needed());
  ring.set(std::make_shared<const Keys>("sha256:" + std::string(64, '0') + " rank *", "keys"));
  EXPECT_NE(ring.version(), before);
  EXPECT_TRUE(ring.get()->needed());
  EXPECT_FALSE(old->needed());
}

std::size_t taken(RateLimits& limits, const Grant& grant, std::int64_t now) {
  std::size_t count = 0;
  while (count < 1000 && limits.take(grant, now)) ++count;
  return count;
}

TEST(RateLimits, AreABucketThatFillsAtItsRateAndHoldsItsBurst) {
  RateLimits limits(10, 30);
  const Grant grant;
  EXPECT_EQ(taken(limits, grant, 5 * kSecond), 30U);
  EXPECT_EQ(taken(limits, grant, 5 * kSecond + kSecond / 10 - 1), 0U);
  EXPECT_EQ(taken(limits, grant, 5 * kSecond + kSecond / 10), 1U);
  EXPECT_EQ(taken(limits, grant, 6 * kSecond), 9U);
  EXPECT_EQ(taken(limits, grant, 1000 * kSecond), 30U);
}

TEST(RateLimits, AreThoseOfTheKeyWhereItHasAny) {
  RateLimits limits(10, 30);
  Grant grant;
  grant.rate = 4;
  EXPECT_EQ(taken(limits, grant, 1), 4U);  // not the burst of another rate
  grant.id = 1;
  grant.burst = 2;
  EXPECT_EQ(taken(limits, grant, 1), 2U);
  grant.id = 2;
  grant.rate = 0;
  EXPECT_EQ(taken(limits, grant, 1), 1000U);
  Grant burst;
  burst.id = 3;
  burst.burst = 5;
  EXPECT_EQ(taken(limits, burst, 1), 5U);
  RateLimits none(0, 30);
  EXPECT_EQ(taken(none, Grant(), 1), 1000U);
}

TEST(RateLimits, LeaveOtherKeysAloneEvenInTheSameShard) {
  RateLimits limits(10, 0);
  for (std::uint64_t id = 0; id < 1000; ++id) {
    Grant grant;
    grant.id = id;
    EXPECT_EQ(taken(limits, grant, 1), 10U) << id;
  }
}

TEST(RateLimits, CountEveryRequestOnceWhateverThreadItIsOn) {
  RateLimits limits(1000, 5000);
  std::atomic<std::size_t> count = 0;
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&] {
      for (int request = 0; request < 3000; ++request) count += limits.take(Grant(), 1) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 5000U);
}

TEST(Keys, AreToldOurOwnWordsAndOnlyThoseOfAllModelsWhatADatabaseSays) {
  const Reason theirs{"no connection: host db.example", "no connection"};
  const Reason ours = our_reason("its query was erased");
  Grant tenant{.model = "shop"};
  EXPECT_EQ(told_to(tenant, theirs), "no connection; the log says why");
  EXPECT_EQ(told_to(tenant, ours), "its query was erased");
  EXPECT_EQ(told_to({}, theirs), theirs.why);
  EXPECT_EQ(told_to({.scopes = 3}, theirs), "no connection; the log says why");
}

}  // namespace
}  // namespace dcmrank::service
