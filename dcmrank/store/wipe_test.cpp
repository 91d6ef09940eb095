// When the files are to be wiped; what is in them then: tests/service/erasure_test.cpp.
#include <filesystem>
#include <random>

#include <fmt/format.h>

#include "dcmrank/store/contract_test.h"
#include "dcmrank/store/layout.h"

namespace dcmrank::service {
namespace {

class WipedFiles : public StoreTest {
 protected:
  void SetUp() override { make(kStores.front()); }

  void hold(const std::string& impression) {
    Event event;
    event.impression = impression;
    event.item = "a";
    write([&](StoreWriter& w) { w.hold({models_[0], "", kNow, event, 0}); });
  }
  void expire() {
    write([](StoreWriter& w) { w.expire_held(kNow + 1); });
  }
  void erase() {
    write([&](StoreWriter& w) { w.erase_item(shoes(), "a"); });
  }
};

TEST_F(WipedFiles, AreSoOnceMoreWhenEventsAreHeldNoMoreThatMayHaveBroughtBackWhatWasErased) {
  erase();
  EXPECT_TRUE(store_->must_wipe());
  EXPECT_EQ(store_->wipe(), Store::Wiped::kAll);
  EXPECT_FALSE(store_->must_wipe());
  hold("late");
  expire();
  EXPECT_TRUE(store_->must_wipe());
  open();  // as after a crash
  EXPECT_TRUE(store_->must_wipe());
  EXPECT_EQ(store_->wipe(), Store::Wiped::kAll);
  EXPECT_FALSE(store_->must_wipe());
  expire();  // nothing is there
  EXPECT_FALSE(store_->must_wipe());
  hold("shown again");
  write([&](StoreWriter& w) { EXPECT_EQ(w.release(models_[0], "shown again").size(), 1U); });
  EXPECT_TRUE(store_->must_wipe());
}

TEST_F(WipedFiles, AreLeftAloneWhereNothingWasEverErased) {
  hold("early");
  expire();
  hold("soon shown");
  write([&](StoreWriter& w) { w.release(models_[0], "soon shown"); });
  EXPECT_FALSE(store_->must_wipe());
}

TEST_F(WipedFiles, KeepTheEventsThatAreStillHeld) {
  erase();
  EXPECT_EQ(store_->wipe(), Store::Wiped::kAll);
  hold("late");
  expire();
  for (const char* id : {"one", "two", "one"}) hold(id);
  EXPECT_EQ(store_->wipe(), Store::Wiped::kAll);
  write([&](StoreWriter& w) {
    EXPECT_EQ(w.release(models_[0], "one").size(), 2U);
    EXPECT_EQ(w.release(models_[0], "two").size(), 1U);
  });
}

// Rows are moved from page to page while more are held.
TEST_F(WipedFiles, HaveNothingOfEventsThatWereHeldAmongOthers) {
  erase();
  EXPECT_EQ(store_->wipe(), Store::Wiped::kAll);
  std::mt19937 random(3);
  std::size_t others = 0;
  for (int n = 0; n < 30; ++n) {
    write([&](StoreWriter& w) {
      for (int m = 0; m < 100; ++m) {
        const bool secret = random() % 3 == 0;
        Event event;
        event.impression = fmt::format("{:06}{}{:x>{}}", random() % 1'000'000,
                                       secret ? "secret" : "other", "", random() % 1000);
        w.hold({models_[0], "", secret ? kNow : kNow + 1000, event, 0});
        others += secret ? 0 : 1;
      }
    });
  }
  expire();
  EXPECT_EQ(store_->wipe(), Store::Wiped::kAll);
  for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_EQ(testing::read(file.path()).find("secret"), std::string::npos) << file.path();
  }
  expire();  // the others are all there
  write([&](StoreWriter& w) { EXPECT_EQ(w.expire_held(kNow + 2000).front().second, others); });
}

// What was erased after the file was written anew is not gone when the log is.
TEST_F(WipedFiles, AreNotCalledSoWhereMoreWasErasedMeanwhile) {
  erase();
  Database old = open_reader(folder_.path());
  old.execute("BEGIN");
  old.number("SELECT count(*) FROM query");
  EXPECT_EQ(store_->wipe(), Store::Wiped::kNotYet);
  erase();
  old.execute("ROLLBACK");
  while (store_->wipe() == Store::Wiped::kNotYet) EXPECT_TRUE(store_->must_wipe());
  EXPECT_FALSE(store_->must_wipe());
}

}  // namespace
}  // namespace dcmrank::service
