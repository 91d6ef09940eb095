#include "dcmrank/service/askers.h"

#include <atomic>
#include <future>
#include <memory>

#include <gtest/gtest.h>

namespace dcmrank::service {
namespace {

using std::chrono::milliseconds;

Ask ask(const std::string& body) {
  Request request;
  request.body = body;
  return {KeptRequest(request), Ticket(nullptr, 0), Askers::Clock::now()};
}

TEST(Askers, AnswerWhatWasOffered) {
  std::atomic<int> answered = 0;
  std::atomic<int> made = 0;
  Askers askers(3, [&] {
    ++made;
    return [&](const Ask& one, bool silent) {
      EXPECT_EQ(one.request.request().body, "body");
      EXPECT_FALSE(silent);
      ++answered;
      return true;
    };
  });
  for (int n = 0; n < 100; ++n) EXPECT_TRUE(askers.offer(ask("body")));
  askers.stop();
  EXPECT_EQ(answered, 100);
  EXPECT_EQ(made, 3);
  EXPECT_FALSE(askers.offer(ask("late")));
}

// Both threads wait for a store that is silent: nobody else waits longer than it takes to see that.
TEST(Askers, DoWithoutAStoreThatIsSilentUntilOneOfThemIsAnswered) {
  std::promise<void> ends;  // the patience of those who ask
  const std::shared_future<void> spoke = ends.get_future();
  std::atomic<bool> speaks = false;
  std::atomic<int> silently = 0;
  std::atomic<int> asking = 0;
  Askers askers(
      2,
      [&] {
        return [&, spoke](const Ask& /*one*/, bool silent) {
          if (silent) return ++silently < 0;
          ++asking;
          spoke.wait();
          return speaks.load();
        };
      },
      milliseconds(50));
  const auto start = Askers::Clock::now();
  const auto waited = [&] { return Askers::Clock::now() - start > std::chrono::seconds(20); };
  int taken = 0;
  for (; askers.offer(ask("")); ++taken) {
    std::this_thread::sleep_for(milliseconds(5));
    ASSERT_FALSE(waited());
  }
  EXPECT_EQ(asking, 2);
  EXPECT_FALSE(askers.offer(ask("")));
  ends.set_value();
  while (silently + asking < taken) ASSERT_FALSE(waited());
  EXPECT_GT(silently, 0);
  speaks = true;
  while (!askers.offer(ask(""))) ASSERT_FALSE(waited());  // one finds out that it speaks
  while (silently + asking < taken + 1) ASSERT_FALSE(waited());
  for (int n = 0; n < 100; ++n) EXPECT_TRUE(askers.offer(ask("")));
  askers.stop();
  EXPECT_EQ(silently + asking, taken + 101);
}

TEST(Askers, DoNotTakeWhatTakesLongForSilence) {
  std::promise<void> ends;
  const std::shared_future<void> ended = ends.get_future();
  std::atomic<int> answered = 0;
  Askers askers(
      2,
      [&] {
        return [&, ended](const Ask& one, bool silent) {
          EXPECT_FALSE(silent);
          if (!one.is_quick) ended.wait();
          ++answered;
          return true;
        };
      },
      milliseconds(20));
  Ask longer = ask("");
  longer.is_quick = false;
  EXPECT_TRUE(askers.offer(std::move(longer)));
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_TRUE(askers.offer(ask("")));
  ends.set_value();
  askers.stop();
  EXPECT_EQ(answered, 2);
}

}  // namespace
}  // namespace dcmrank::service
