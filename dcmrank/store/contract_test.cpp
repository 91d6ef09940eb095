// What every store must do. A store joins by its line in kStores.
#include <array>
#include <functional>
#include <memory>
#include <ostream>

#include <gtest/gtest.h>

#include "../../tests/cli/process.h"
#include "dcmrank/ledger/rules.h"
#include "dcmrank/service/verify.h"
#include "dcmrank/store/sqlite_store.h"

namespace dcmrank::service {
namespace {

struct StoreKind {
  const char* name;
  std::unique_ptr<Store> (*open)(const std::filesystem::path& folder);
};

std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }

constexpr std::array kStores{StoreKind{
    "sqlite", [](const std::filesystem::path& folder) { return open_sqlite_store(folder); }}};

constexpr Time kNow = 1'800'000'000'000;

class StoreContract : public ::testing::TestWithParam<StoreKind> {
 protected:
  StoreContract() {
    open();
    write([&](StoreWriter& w) {
      for (const char* name : {"one", "two"}) models_.push_back(w.put(model(name)));
    });
  }

  void open() {
    writer_.reset();
    reader_.reset();
    store_.reset();
    store_ = GetParam().open(folder_.path());
    writer_ = store_->writer();
    reader_ = store_->reader();
  }

  static Model model(const std::string& name) {
    Model model;
    model.name = name;
    set_policy(model, "dcm-ts");
    return model;
  }

  void write(const std::function<void(StoreWriter&)>& work) {
    writer_->begin();
    work(*writer_);
    writer_->commit();
  }

  NewImpression list(std::uint64_t number, std::size_t of = 0, const std::string& id = "",
                     const std::string& query = "shoes") const {
    NewImpression impression;
    impression.number = number;
    impression.word = 7;
    impression.made = kNow;
    impression.model = models_[of];
    impression.query = query;
    impression.page = encode(Page{{"a", "b"}, {}, {}});
    impression.id = id;
    impression.body = id.empty() ? "" : "hash";
    impression.answer = id.empty() ? "" : "answer of " + id;
    return impression;
  }

  QueryKey shoes(std::size_t of = 0) const { return {models_[of], "shoes"}; }

  static Contribution taught(int observed) {
    return {{Row{observed, 1}, Row{observed}}, {Row{2}, Row{}}, true};
  }

  // As a teacher does: the impression keeps what it adds to the sums.
  void teach(std::uint64_t number, int observed) {
    write([&](StoreWriter& w) {
      Impression impression = *w.find(number);
      QueryDelta delta;
      delta.add(impression.page, impression.contribution, -1);
      impression.contribution = taught(observed);
      impression.state = ImpressionState::kClosed;
      delta.add(impression.page, impression.contribution, 1);
      w.update(impression, kNow + 1000);
      w.add({impression.model, impression.query}, delta, StoreWriter::Into::kState, kNow);
    });
  }

  std::int64_t observed(const QueryKey& key, const std::string& item) {
    QueryState state;
    if (!reader_->load(key, state)) return -1;
    const auto row = state.items.find(item);
    return row.empty() ? 0 : static_cast<std::int64_t>(row[0]);
  }

  void expect_whole() { EXPECT_EQ(verify(*reader_).first_faults, std::vector<std::string>{}); }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<StoreWriter> writer_;
  std::unique_ptr<StoreReader> reader_;
  std::vector<std::int64_t> models_;
};

TEST_P(StoreContract, KeepsAnImpressionAsItWas) {
  write([&](StoreWriter& w) { w.insert(list(5, 0, "mine"), kNow + 10); });
  open();
  const auto found = reader_->find(models_[0], "mine");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->number, 5U);
  EXPECT_EQ(found->query, "shoes");
  EXPECT_EQ(found->page.items, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found->state, ImpressionState::kOpen);
  EXPECT_EQ(found->made, kNow);
  EXPECT_FALSE(found->seen);
  const auto named = reader_->named(models_[0], "mine");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->answer, "answer of mine");
  expect_whole();
}

TEST_P(StoreContract, GivesEveryModelIdsOfItsOwn) {
  write([&](StoreWriter& w) {
    w.insert(list(1, 0, "same"), kNow);
    w.insert(list(2, 1, "same"), kNow);
    w.insert_event(models_[0], "click", "x");
    w.insert_event(models_[1], "click", "y");
  });
  EXPECT_EQ(reader_->find(models_[0], "same")->number, 1U);
  EXPECT_EQ(reader_->find(models_[1], "same")->number, 2U);
  EXPECT_EQ(writer_->event(models_[0], "click"), "x");
  EXPECT_EQ(writer_->event(models_[1], "click"), "y");
  EXPECT_EQ(writer_->event(models_[1], "other"), std::nullopt);
}

TEST_P(StoreContract, KnowsAnIdThatTheServiceMadeWhateverTheModel) {
  write([&](StoreWriter& w) { w.insert(list(9), kNow); });
  const std::string id = made_id(9, 7);
  EXPECT_TRUE(reader_->find(0, id));
  EXPECT_TRUE(reader_->find(models_[0], id));
  EXPECT_FALSE(reader_->find(models_[1], id));
  EXPECT_FALSE(reader_->find(0, made_id(9, 8)));
}

TEST_P(StoreContract, ShowsOthersOnlyWhatIsCommittedAndLosesWhatIsRolledBack) {
  writer_->begin();
  writer_->insert(list(1), kNow);
  EXPECT_TRUE(writer_->find(1));
  EXPECT_FALSE(reader_->find(1));
  writer_->rollback();
  EXPECT_FALSE(writer_->find(1));
  writer_->begin();
  writer_->insert(list(2), kNow);
  writer_->begin();  // a failure left the former one open
  writer_->commit();
  EXPECT_FALSE(reader_->find(2));
  EXPECT_TRUE(reader_->queries(models_[0], "", 10).empty());
}

TEST_P(StoreContract, AddsToSumsAndOverwritesNothing) {
  const auto other = store_->writer();
  for (int n = 0; n < 3; ++n) {
    for (StoreWriter* w : {writer_.get(), other.get()}) {
      QueryDelta delta;
      delta.rounds = 1;
      delta.positions = {Row{1}, Row{0, n}};
      delta.items["a"] = Row{10, -1};
      w->begin();
      w->add(shoes(), delta, StoreWriter::Into::kBoth, kNow);
      w->commit();
    }
  }
  QueryState state;
  ASSERT_TRUE(reader_->load(shoes(), state));
  EXPECT_EQ(state.rounds, 6U);
  EXPECT_EQ(state.positions, (std::vector<Row>{Row{6}, Row{0, 6}}));
  EXPECT_TRUE(state.items.find("a")[0] == 60 && state.items.find("a")[1] == -6);
  expect_whole();
}

TEST_P(StoreContract, KeepsSumsOfMoreThan64Bits) {
  const Fixed huge = kMostImported;
  QueryDelta delta;
  delta.items["a"] = Row{huge};
  for (int n = 0; n < 4; ++n) {
    write([&](StoreWriter& w) { w.add(shoes(), delta, StoreWriter::Into::kBoth, kNow); });
  }
  QueryState state;
  ASSERT_TRUE(reader_->load(shoes(), state));
  EXPECT_TRUE(state.items.find("a")[0] == 4 * huge);
}

TEST_P(StoreContract, FindsWhatIsDueTheLongestDueFirst) {
  write([&](StoreWriter& w) {
    w.insert(list(1), kNow + 30);
    w.insert(list(2), kNow + 10);
    w.insert(list(3), kNow + 20);
    w.insert(list(4), kNow + 99);
  });
  EXPECT_EQ(writer_->due(kNow + 50, 10), (std::vector<std::uint64_t>{2, 3, 1}));
  EXPECT_EQ(writer_->due(kNow + 50, 2), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_TRUE(writer_->due(kNow, 10).empty());
  write([&](StoreWriter& w) {
    w.set_aside(2);
    w.update(*w.find(3), kNow + 200);
  });
  EXPECT_EQ(writer_->due(kNow + 50, 10), (std::vector<std::uint64_t>{1}));
  EXPECT_TRUE(reader_->find(2));
  write([&](StoreWriter& w) { w.reschedule(models_[0], 5); });
  EXPECT_EQ(writer_->due(kNow + 5, 10).size(), 3U);
}

TEST_P(StoreContract, FindsOldImpressionsInTurnAndAgain) {
  write([&](StoreWriter& w) {
    for (std::uint64_t n = 1; n <= 6; ++n) w.insert(list(n), kNow);
  });
  for (const std::uint64_t n : {1U, 3U, 4U, 6U}) teach(n, 1);
  EXPECT_TRUE(writer_->old(kNow, 10).empty());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(writer_->old(kNow + 1, 3), (std::vector<std::uint64_t>{1, 3}));
    EXPECT_EQ(writer_->old(kNow + 1, 3), (std::vector<std::uint64_t>{4, 6}));
    EXPECT_TRUE(writer_->old(kNow + 1, 3).empty());  // the end
  }
}

TEST_P(StoreContract, HoldsEventsByCallerAndLetsThemGo) {
  const auto held = [&](const std::string& impression, const std::string& caller, Time until) {
    HeldEvent result{models_[0], caller, until, {}};
    result.event.impression = impression;
    result.event.item = "a";
    return result;
  };
  write([&](StoreWriter& w) {
    w.hold(held("x", "ann", kNow + 10));
    w.hold(held("x", "bob", kNow + 10));
    w.hold(held("y", "bob", kNow + 5));
  });
  using Counts = std::vector<std::pair<std::string, std::uint64_t>>;
  EXPECT_EQ(writer_->held(), (Counts{{"ann", 1}, {"bob", 2}}));
  write([&](StoreWriter& w) {
    EXPECT_TRUE(w.release(models_[1], "x").empty());
    const auto events = w.release(models_[0], "x");
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].event.item, "a");
    EXPECT_TRUE(w.expire_held(kNow + 5).empty());
    EXPECT_EQ(w.expire_held(kNow + 6), (Counts{{"bob", 1}}));
  });
  EXPECT_TRUE(writer_->held().empty());
}

TEST_P(StoreContract, RecountsToWhatItSays) {
  write([&](StoreWriter& w) {
    w.insert(list(1), kNow);
    w.insert(list(2), kNow);
  });
  teach(1, 10);
  teach(2, 20);
  teach(1, 15);  // a correction
  EXPECT_EQ(observed(shoes(), "a"), 35);
  expect_whole();
  // What goes from the impressions goes to the base.
  write([&](StoreWriter& w) {
    const Impression old = *w.find(1);
    QueryDelta delta;
    delta.add(old.page, old.contribution, 1);
    w.add(shoes(), delta, StoreWriter::Into::kBase, kNow);
    w.remove(old);
  });
  EXPECT_EQ(observed(shoes(), "a"), 35);
  expect_whole();
  write([&](StoreWriter& w) { w.remove(*w.find(2)); });  // and not to the base
  EXPECT_FALSE(verify(*reader_).first_faults.empty());
}

TEST_P(StoreContract, ErasesAQueryAndAllThatBelongsToIt) {
  write([&](StoreWriter& w) {
    w.insert(list(1, 0, "mine"), kNow);
    w.insert(list(2, 0, "", "hats"), kNow);
    w.insert_event(models_[0], "click", "x");
    Impression impression = *w.find(1);
    impression.events = {"click"};
    w.update(impression, kNow);
  });
  teach(2, 3);
  write([&](StoreWriter& w) { w.erase_query(shoes()); });
  EXPECT_FALSE(reader_->find(models_[0], "mine"));
  EXPECT_FALSE(reader_->named(models_[0], "mine"));
  EXPECT_EQ(writer_->event(models_[0], "click"), std::nullopt);
  EXPECT_EQ(observed(shoes(), "a"), -1);
  EXPECT_EQ(observed({models_[0], "hats"}, "a"), 3);
  expect_whole();
}

TEST_P(StoreContract, ErasesAnItemFromListsAndSums) {
  write([&](StoreWriter& w) { w.insert(list(1, 0, "mine"), kNow); });
  teach(1, 10);
  write([&](StoreWriter& w) {
    EXPECT_EQ(w.impressions_of(shoes(), 10), (std::vector<std::uint64_t>{1}));
    Impression impression = *w.find(1);
    EXPECT_TRUE(erase_item(impression, "a"));
    w.rewrite(impression, kNow);
    w.erase_item(shoes(), "a");
  });
  EXPECT_EQ(reader_->find(1)->page.items, (std::vector<std::string>{"", "b"}));
  EXPECT_EQ(reader_->named(models_[0], "mine")->answer, "");
  EXPECT_EQ(observed(shoes(), "a"), 0);
  EXPECT_EQ(observed(shoes(), "b"), 10);
  expect_whole();
}

TEST_P(StoreContract, LeavesNothingOfAnErasedImpressionWhereItWasTheOnlyOne) {
  write([&](StoreWriter& w) {
    w.insert(list(1), kNow);
    w.insert(list(2, 0, "", "hats"), kNow);
  });
  teach(1, 10);
  write([&](StoreWriter& w) {
    const Impression impression = *w.find(1);
    QueryDelta delta;
    delta.add(impression.page, impression.contribution, -1);
    w.add(shoes(), delta, StoreWriter::Into::kState, kNow);
    w.remove(impression);
    w.drop_empty(shoes());
    w.drop_empty({models_[0], "hats"});
  });
  EXPECT_EQ(observed(shoes(), "a"), -1);
  EXPECT_EQ(observed({models_[0], "hats"}, "a"), 0);  // its impression is there
  expect_whole();
}

TEST_P(StoreContract, ErasesAModelBitByBitAndItsNameIsFree) {
  write([&](StoreWriter& w) {
    for (std::uint64_t n = 0; n < 250; ++n) {
      w.insert(list(n + 1, n % 2, "", "query" + std::to_string(n)), kNow);
    }
    w.erase_model(models_[0]);
  });
  EXPECT_EQ(reader_->models().size(), 1U);
  const std::int64_t anew = [&] {
    std::int64_t id = 0;
    write([&](StoreWriter& w) { id = w.put(model("one")); });
    return id;
  }();
  EXPECT_NE(anew, models_[0]);
  int steps = 0;
  for (bool more = true; more; ++steps) {
    write([&](StoreWriter& w) { more = w.erase_some(50); });
  }
  EXPECT_GT(steps, 3);
  EXPECT_TRUE(reader_->queries(models_[0], "", 10).empty());
  EXPECT_EQ(reader_->queries(models_[1], "", 1000).size(), 125U);
  EXPECT_FALSE(reader_->find(1));
  EXPECT_TRUE(reader_->find(2));
  expect_whole();
}

TEST_P(StoreContract, TrimsWhatIsNotShownAnyMore) {
  constexpr Time kLater = kNow + 1000;
  QueryDelta old;
  old.rounds = 1;
  old.items["old"] = Row{1};
  QueryDelta young;
  young.rounds = 1;
  young.items["young"] = Row{1};
  write([&](StoreWriter& w) {
    w.add({models_[0], "gone"}, old, StoreWriter::Into::kBoth, kNow);
    w.add({models_[0], "stays"}, old, StoreWriter::Into::kBoth, kNow);
    w.add({models_[0], "stays"}, young, StoreWriter::Into::kBoth, kLater);
    w.add({models_[0], "shown"}, old, StoreWriter::Into::kBoth, kNow);
    w.insert(list(1, 0, "", "shown"), kNow);
  });
  std::vector<QueryKey> changed;
  for (int n = 0; n < 3; ++n) {  // two at a time, and again from the beginning
    write([&](StoreWriter& w) {
      for (QueryKey& key : w.trim(kLater, 2)) changed.push_back(std::move(key));
    });
  }
  EXPECT_EQ(observed({models_[0], "gone"}, "old"), -1);
  EXPECT_EQ(observed({models_[0], "stays"}, "old"), 0);
  EXPECT_EQ(observed({models_[0], "stays"}, "young"), 1);
  EXPECT_TRUE(reader_->find(1));
  EXPECT_EQ(changed.size(), 3U);
  expect_whole();
}

TEST_P(StoreContract, CountsStartsAndKnowsTheLatestTime) {
  EXPECT_EQ(store_->begin_start(), 1U);
  EXPECT_EQ(store_->latest_time(), 0);
  write([&](StoreWriter& w) { w.insert(list(1), kNow); });
  open();
  EXPECT_EQ(store_->begin_start(), 2U);
  EXPECT_EQ(store_->latest_time(), kNow);
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract, ::testing::ValuesIn(kStores),
                         [](const auto& store) { return std::string(store.param.name); });

}  // namespace
}  // namespace dcmrank::service
