#include "dcmrank/service/askers.h"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <thread>

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

// Time that passes when the test says so: how fast the machine is decides nothing.
class AskersInTime : public testing::Test {
 protected:
  Askers::Now now() {
    return [this] { return Askers::Clock::time_point(milliseconds(time.load())); };
  }
  // Whether `happens` does, long before anybody would give up.
  static bool becomes(const std::function<bool()>& happens) {
    const auto end = Askers::Clock::now() + std::chrono::seconds(60);
    while (!happens()) {
      if (Askers::Clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  std::atomic<int> time = 1000000;
};

// Both threads wait for a store that is silent: nobody else waits longer than it takes to see that.
TEST_F(AskersInTime, DoWithoutAStoreThatIsSilentUntilOneOfThemIsAnswered) {
  std::promise<void> ends;  // the patience of those who ask
  const std::shared_future<void> spoke = ends.get_future();
  std::atomic<bool> speaks = false;
  std::atomic<int> silently = 0;
  std::atomic<int> asking = 0;
  const auto make = [&] {
    return [&, spoke](const Ask& /*one*/, bool silent) {
      if (silent) return ++silently < 0;
      ++asking;
      spoke.wait();
      return speaks.load();
    };
  };
  Askers askers(2, make, milliseconds(50), now());
  for (int n = 0; n < 2; ++n) EXPECT_TRUE(askers.offer(ask("asks")));
  ASSERT_TRUE(becomes([&] { return asking == 2; }));
  time += 50;
  for (int n = 0; n < 2; ++n) EXPECT_TRUE(askers.offer(ask("waits behind them")));
  time += 1;
  EXPECT_FALSE(askers.offer(ask("")));
  time += 50;
  ends.set_value();
  ASSERT_TRUE(becomes([&] { return silently == 2; }));
  EXPECT_EQ(asking, 2);
  speaks = true;
  int taken = 4;
  const auto takes = [&] { return askers.offer(ask("")) && ++taken > 0; };
  ASSERT_TRUE(becomes(takes));  // one finds out that it speaks
  ASSERT_TRUE(becomes([&] {     // then all may ask
    int in_a_row = 0;
    while (in_a_row < 100 && takes()) ++in_a_row;
    return in_a_row == 100;
  }));
  askers.stop();
  EXPECT_EQ(silently, 2);
  EXPECT_EQ(asking, taken - 2);
}

TEST_F(AskersInTime, DoNotTakeWhatTakesLongForSilence) {
  std::promise<void> ends;
  const std::shared_future<void> ended = ends.get_future();
  std::atomic<int> begun = 0;
  std::atomic<int> answered = 0;
  const auto make = [&] {
    return [&, ended](const Ask& one, bool silent) {
      EXPECT_FALSE(silent);
      ++begun;
      if (!one.is_quick) ended.wait();
      ++answered;
      return true;
    };
  };
  Askers askers(2, make, milliseconds(20), now());
  Ask longer = ask("");
  longer.is_quick = false;
  EXPECT_TRUE(askers.offer(std::move(longer)));
  ASSERT_TRUE(becomes([&] { return begun == 1; }));
  time += 60;
  EXPECT_TRUE(askers.offer(ask("")));
  ends.set_value();
  askers.stop();
  EXPECT_EQ(answered, 2);
}

}  // namespace
}  // namespace dcmrank::service
