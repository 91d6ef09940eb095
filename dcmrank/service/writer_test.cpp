// How the writer deals with more lists than it can store at once.
#include "dcmrank/service/writer.h"

#include <future>

#include <gtest/gtest.h>

#include "../../tests/cli/process.h"
#include "dcmrank/store/sqlite_store.h"

namespace dcmrank::service {
namespace {

constexpr std::uint64_t kMany = 20'000;

/// A writer that has not started: what is offered to it until then is its first batch.
class WriterTest : public ::testing::Test {
 protected:
  WriterTest()
      : store_(open_sqlite_store(folder_.path().string())), journal_("", Journal::Level::kError) {
    Model model;
    model.name = "m";
    set_policy(model, "dcm-ts");
    const auto writer = store_->writer();
    writer->begin();
    model.id = writer->put(model);
    writer->commit();
    model_ = model.id;
    models_.set({model});
    writer_.emplace(store_->writer(), cache_, models_, clock_, Lifetimes{}, Limits{}, metrics_,
                    journal_);
    writer_->on_settled([this](const NewImpression&) { ++stored_; });
    reader_ = store_->reader();
    writer_->on_taught([](std::int64_t, std::uint64_t) {});
    writer_->on_erased([] {});
  }

  void show(std::uint64_t count, const std::string& id = "") {
    for (; count > 0; --count) {
      NewImpression impression;
      impression.number = ++number_;
      impression.made = clock_.now();
      impression.model = model_;
      impression.query = "q";
      Page page;
      page.items = {"a", "b"};
      impression.page = encode(page);
      impression.id = id;
      if (!id.empty()) impression.body = impression.answer = "x";
      ASSERT_TRUE(writer_->offer(Shown{impression, "", nullptr}));
    }
  }
  std::future<EventStatus> click(const std::string& impression) {
    auto result = std::make_shared<std::promise<EventStatus>>();
    Feedback feedback;
    Event event;
    event.model = "m";
    event.impression = impression;
    event.item = "b";
    feedback.events = {event};
    feedback.caller.held = 1;
    feedback.done = [this, result](const std::vector<EventResult>& results, const Reason&) {
      were_stored_ = are_stored();
      result->set_value(results.at(0).status);
    };
    EXPECT_TRUE(writer_->offer(feedback));
    return result->get_future();
  }

  std::future<Teacher::Erased> erase(const std::string& impression, std::uint64_t until) {
    auto result = std::make_shared<std::promise<Teacher::Erased>>();
    auto erased = std::make_shared<Teacher::Erased>();
    EXPECT_TRUE(writer_->offer(
        Job{[this, impression, until, erased](Teacher& teacher) {
              *erased = teacher.erase_impression(model_, impression, until);
            },
            [result, erased](const std::exception_ptr&) { result->set_value(*erased); }}));
    return result->get_future();
  }

  // The lists that came before, nearly all of them.
  bool are_stored() { return reader_->find(kMany - 1).has_value(); }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  Journal journal_;
  QueryCache cache_{1 << 20};
  Models models_;
  Clock clock_{1'000'000};
  Metrics metrics_;
  std::optional<Writer> writer_;
  std::int64_t model_ = 0;
  std::uint64_t number_ = 0;
  std::unique_ptr<StoreReader> reader_;
  // Of the writer's thread, until it has stopped.
  std::size_t stored_ = 0;
  bool were_stored_ = true;  // when it answered
};

TEST_F(WriterTest, LetsEventsWaitForTheirOwnListAlone) {
  show(kMany);
  show(1, "mine");
  auto result = click("mine");
  writer_->start();
  EXPECT_EQ(result.get(), EventStatus::kAccepted);
  writer_->stop();
  EXPECT_EQ(stored_, kMany + 1);
  EXPECT_FALSE(were_stored_);
  EXPECT_TRUE(are_stored());
}

TEST_F(WriterTest, KnowsWaitingListsByTheIdsThatItMadeItself) {
  show(kMany);
  const auto impression = made_id(number_, 0);
  show(kMany);
  auto result = click(impression);
  auto unknown = click(made_id(number_ + 1, 0));
  writer_->start();
  EXPECT_EQ(result.get(), EventStatus::kAccepted);
  EXPECT_EQ(unknown.get(), EventStatus::kUnknown);
  writer_->stop();
  EXPECT_FALSE(were_stored_);
  EXPECT_TRUE(are_stored());
}

TEST_F(WriterTest, StoresTheListsThatCameBeforeAJob) {
  show(kMany);
  show(1, "mine");
  auto found = erase("mine", number_);
  show(kMany);
  writer_->start();
  EXPECT_EQ(found.get(), Teacher::Erased::kYes);
  writer_->stop();
  EXPECT_EQ(stored_, 2 * kMany + 1);
  EXPECT_FALSE(store_->reader()->find(model_, "mine"));
}

// As where the disk failed for a while, and lists have to wait: an event was held for one of them.
TEST_F(WriterTest, AListThatComesAfterItsErasureIsNotStored) {
  writer_->start();
  EXPECT_EQ(click("mine").get(), EventStatus::kUnknown);
  EXPECT_EQ(erase("other", number_ + 2).get(), Teacher::Erased::kUnknown);
  EXPECT_EQ(erase("mine", number_ + 2).get(), Teacher::Erased::kYes);
  show(1, "mine");
  show(1, "other");
  writer_->stop();
  EXPECT_FALSE(reader_->find(model_, "mine"));
  EXPECT_TRUE(reader_->find(model_, "other"));
}

TEST_F(WriterTest, AnIdThatWasErasedIsFreeForTheNextList) {
  writer_->start();
  EXPECT_EQ(click("mine").get(), EventStatus::kUnknown);
  EXPECT_EQ(erase("mine", number_).get(), Teacher::Erased::kYes);
  show(1, "mine");
  writer_->stop();
  EXPECT_TRUE(reader_->find(model_, "mine"));
}

TEST_F(WriterTest, AnswersWhoeverWaitsForAListBeforeItsTurn) {
  show(kMany);
  std::promise<std::string> answered;
  NewImpression impression;
  impression.number = ++number_;
  impression.model = model_;
  impression.query = "q";
  Page page;
  page.items = {"a"};
  impression.page = encode(page);
  writer_->offer(Shown{impression, "", [&](const Reason& failure) {
                         were_stored_ = are_stored();
                         answered.set_value(failure.why);
                       }});
  writer_->start();
  EXPECT_EQ(answered.get_future().get(), "");
  writer_->stop();
  EXPECT_FALSE(were_stored_);
  EXPECT_TRUE(are_stored());
}

// One reason, the one that it was.
TEST_F(WriterTest, SaysWhyAListIsNotStored) {
  const auto shown = [&](const std::string& query, const std::string& page, Shown& one) {
    auto answer = std::make_shared<std::promise<std::string>>();
    one.impression.number = ++number_;
    one.impression.made = clock_.now();
    one.impression.model = model_;
    one.impression.query = query;
    one.impression.page = page;
    one.done = [answer](const Reason& failure) { answer->set_value(failure.told); };
    EXPECT_TRUE(writer_->offer(one));
    return answer->get_future();
  };
  Page page;
  page.items = {"a"};
  Shown first;
  Shown erased;
  Shown orphan;
  writer_->start();
  EXPECT_EQ(shown("q", encode(page), first).get(), "");
  std::promise<void> done;
  writer_->offer(Job{[&](Teacher& teacher) {
                       teacher.erase_query({model_, "q"}, number_ + 1);
                     },
                     [&](const std::exception_ptr&) { done.set_value(); }});
  done.get_future().get();
  const std::string why = shown("q", encode(page), erased).get();
  EXPECT_EQ(why, "it, its query, or an item of it, was erased meanwhile; rank it again");
  models_.set({});
  EXPECT_EQ(shown("q", encode(page), orphan).get(), "its model has been erased");
  writer_->stop();
}

}  // namespace
}  // namespace dcmrank::service
