// What PostgreSQL's files still have of what was erased, and how the last byte of it goes.
#include <filesystem>

#include "fleet_test.h"

namespace dcmrank::testing {
namespace {

class FleetErasure : public FleetTest {
 protected:
  void SetUp() override {
    if (!PgCluster::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = PgCluster::shared().new_database();
  }
  std::string sql(const std::string& text) const {
    const std::size_t start = store_.find("@/") + 2;
    return PgCluster::shared().ask(text, store_.substr(start, store_.find('?') - start));
  }
  // The files of the database that have it, besides those of its log.
  std::string files_with(const std::string& text) const {
    sql("CHECKPOINT");
    const auto files = PgCluster::shared().folder() / "data/base" /
                       sql("SELECT oid FROM pg_database WHERE datname = current_database()");
    std::string found;
    for (const auto& file : std::filesystem::directory_iterator(files)) {
      if (read(file.path()).find(text) == std::string::npos) continue;
      const std::string number = file.path().stem().string();
      found +=
          " " + number + "=" +
          sql("SELECT oid::regclass FROM pg_class WHERE pg_relation_filenode(oid) = " + number);
    }
    return found;
  }
};

// The commands are those of docs/fleet.md, given while a server runs.
TEST_F(FleetErasure, NoByteIsLeftOnceTheTablesAreRewritten) {
  const auto a = serve();
  for (int n = 0; n < 20; ++n) {
    const std::string id = "secret-page" + std::to_string(n);
    ask(*a, "POST", "/v1/rank",
        {{"query", "secret-query"},
         {"items", {"secret-item", "b"}},
         {"id", id},
         {"durable", true}});
    const json click = {
        {"impression", id}, {"type", "click"}, {"item", "secret-item"}, {"id", id + "-event"}};
    ask(*a, "POST", "/v1/feedback", json::array({click, {{"impression", id}, {"type", "close"}}}));
  }
  sql("ANALYZE");  // what is frequent is in the statistics then
  EXPECT_NE(files_with("secret-"), "");
  ask(*a, "DELETE", "/v1/models/default/queries/secret-query");
  const auto logged = [&](const char* event) {
    return a->process().err().find(event) != std::string::npos;
  };
  EXPECT_TRUE(eventually([&] { return logged("\"vacuumed\""); }));
  EXPECT_FALSE(logged("\"wiped\""));  // which would be untrue
  EXPECT_NE(files_with("secret-"), "");
  sql("DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = "
      "'dcmrank'::regnamespace)");
  sql("VACUUM (FULL, ANALYZE)");
  EXPECT_EQ(files_with("secret-"), "");
  learned_by(*a);
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

}  // namespace
}  // namespace dcmrank::testing
