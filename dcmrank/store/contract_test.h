// What every store must do, in the tests beside this file. A store joins by its line in kStores.
#pragma once

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

struct StoreKind {
  const char* name;
  std::unique_ptr<Store> (*open)(const std::filesystem::path& folder);
};

inline std::ostream& operator<<(std::ostream& out, const StoreKind& kind) {
  return out << kind.name;
}

inline constexpr std::array kStores{StoreKind{
    "sqlite", [](const std::filesystem::path& folder) { return open_sqlite_store(folder); }}};

inline constexpr Time kNow = 1'800'000'000'000;

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

/// Runs the tests of a suite over all stores.
#define DCMRANK_OVER_ALL_STORES(suite)                                  \
  INSTANTIATE_TEST_SUITE_P(Stores, suite, ::testing::ValuesIn(kStores), \
                           [](const auto& store) { return std::string(store.param.name); })

}  // namespace dcmrank::service
