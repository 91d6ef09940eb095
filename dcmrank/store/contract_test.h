// What every store must do, in the tests beside this file. A store joins by its line in kStores.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <ostream>

#include <gtest/gtest.h>

#include "../../tests/cli/process.h"
#include "../../tests/postgres/cluster.h"
#include "dcmrank/ledger/rules.h"
#include "dcmrank/postgres/postgres_store.h"
#include "dcmrank/service/verify.h"
#include "dcmrank/store/sqlite_store.h"

namespace dcmrank::service {

struct StoreKind {
  const char* name;
  bool (*is_there)();
  std::string (*place)(const std::filesystem::path& folder);  // of a new one
  std::unique_ptr<Store> (*open)(const std::string& place);
};

inline std::ostream& operator<<(std::ostream& out, const StoreKind& kind) {
  return out << kind.name;
}

inline constexpr std::array kStores{
    StoreKind{"sqlite", [] { return true; },
              [](const std::filesystem::path& folder) { return folder.string(); },
              [](const std::string& place) { return open_sqlite_store(place); }},
    StoreKind{"postgres", &testing::PgCluster::is_installed,
              [](const std::filesystem::path& /*folder*/) {
                return testing::PgCluster::shared().new_database();
              },
              [](const std::string& place) { return open_postgres_store(place, 4); }}};

inline constexpr Time kNow = 1'800'000'000'000;

/// A new store of some kind, with two models; the verbs in which tests of stores are written.
class StoreTest : public ::testing::Test {
 protected:
  void make(const StoreKind& kind) {
    if (!kind.is_there()) GTEST_SKIP() << kind.name << " is not installed";
    kind_ = &kind;
    place_ = kind.place(folder_.path());
    open();
    write([&](StoreWriter& w) {
      for (const char* name : {"one", "two"}) models_.push_back(w.put(model(name)));
    });
  }

  void open() {
    writer_.reset();
    reader_.reset();
    store_.reset();
    store_ = kind_->open(place_);
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
    EXPECT_EQ(writer_->commit(), Buckets());
  }

  // The number of the n-th list of a query: never that of another query, whose bucket may be the
  // same, since some stores give models random ids.
  std::uint64_t no(std::uint64_t n, const std::string& query = "shoes", std::size_t of = 0) const {
    const std::uint64_t whose = 2 * (std::hash<std::string>()(query) % 1024) + of;
    return (n * 2048 + whose) * kBuckets + bucket_of(models_[of], query);
  }
  std::vector<std::uint64_t> nos(const std::vector<std::uint64_t>& all) const {
    std::vector<std::uint64_t> result;
    for (const std::uint64_t n : all) result.push_back(no(n));
    return result;
  }

  NewImpression list(std::uint64_t n, std::size_t of = 0, const std::string& id = "",
                     const std::string& query = "shoes") const {
    NewImpression impression;
    impression.number = no(n, query, of);
    impression.word = 7;
    impression.made = kNow;
    impression.model = models_[of];
    impression.query = query;
    impression.page = encode(Page{{"a", "b"}, {}, {}});
    impression.id = id;
    impression.body = id.empty() ? "" : "hash";
    impression.answer = id.empty() ? "" : R"({"answer of":")" + id + R"("})";
    return impression;
  }

  QueryKey shoes(std::size_t of = 0) const { return {models_[of], "shoes"}; }

  static Contribution taught(int observed) {
    return {{Row{observed, 1}, Row{observed}}, {Row{2}, Row{}}, true};
  }

  // As a teacher does: the impression keeps what it adds to the sums.
  void teach(std::uint64_t number, int observed) {
    write([&](StoreWriter& w) { teach(w, number, observed); });
  }
  static void teach(StoreWriter& w, std::uint64_t number, int observed) {
    Impression impression = *w.find(number);
    QueryDelta delta;
    delta.add(impression.page, impression.contribution, -1);
    impression.contribution = taught(observed);
    impression.state = ImpressionState::kClosed;
    delta.add(impression.page, impression.contribution, 1);
    w.update(impression, kNow + 1000);
    w.add({impression.model, impression.query}, delta, StoreWriter::Into::kState, kNow);
  }

  std::int64_t observed(const QueryKey& key, const std::string& item) {
    QueryState state;
    if (!reader_->load_state(key, state)) return -1;
    const auto row = state.items.find(item);
    return row.empty() ? 0 : static_cast<std::int64_t>(row[0]);
  }

  void expect_whole() { EXPECT_EQ(verify(*reader_).first_faults, std::vector<std::string>{}); }

  const StoreKind* kind_ = nullptr;
  testing::TemporaryFolder folder_;
  std::string place_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<StoreWriter> writer_;
  std::unique_ptr<StoreReader> reader_;
  std::vector<std::int64_t> models_;
};

class StoreContract : public StoreTest, public ::testing::WithParamInterface<StoreKind> {
 protected:
  void SetUp() override { make(GetParam()); }
};

/// Runs the tests of a suite over all stores.
#define DCMRANK_OVER_ALL_STORES(suite)                                  \
  INSTANTIATE_TEST_SUITE_P(Stores, suite, ::testing::ValuesIn(kStores), \
                           [](const auto& store) { return std::string(store.param.name); })

}  // namespace dcmrank::service
