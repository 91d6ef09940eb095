// What verify finds in a database that somebody else has been in.
#include "dcmrank/store/sqlite.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Damage : public SqliteTest {
 protected:
  void make() {
    start();
    for (const char* id : {"one", "two", "three"}) {  // new queries: lists in the caller's order
      rank({{"query", id}, {"items", {"a", "b", "c"}}, {"id", id}});
      json clicked = click(id, "b");
      clicked["id"] = std::string("click on ") + id;
      report(clicked);
      report({{"impression", id}, {"type", "close"}, {"seen", 2}});
    }
    learn("other");
    rank("q", {"a", "b"});
    stop();
    expect_verified();
    std::filesystem::copy(folder() / "data", folder() / "good");
  }
  // Damages a copy of what is good; what verify says then.
  std::string after(const std::string& sql) {
    std::filesystem::remove_all(folder() / "data");
    std::filesystem::copy(folder() / "good", folder() / "data");
    service::Database((folder() / "data/dcmrank.db").string(), service::Database::Mode::kWrite)
        .execute(sql.c_str());
    const Outcome outcome = dcmrank("verify --data data");
    EXPECT_EQ(outcome.status, 1) << sql;
    return outcome.out + outcome.err;
  }
  void expect_found(const std::string& sql, const std::string& what) {
    const std::string said = after(sql);
    EXPECT_NE(said.find(what), std::string::npos) << sql << ": " << said;
  }
};

TEST_F(Damage, OfClicksIsFound) {
  make();
  const std::string two = " WHERE id = 'two'";
  expect_found("UPDATE impression SET clicks = NULL" + two, "two taught other clicks than it has");
  expect_found("UPDATE impression SET clicks = x'010000'" + two, "two taught other clicks");
  expect_found("UPDATE impression SET seen = 3" + two, "two taught other clicks");
  expect_found("UPDATE impression SET clicks = x'ff'" + two, "the clicks of a list are damaged");
  expect_found("UPDATE impression SET clicks = x'000200'" + two,
               "the clicks of a list are damaged");
  expect_found("UPDATE impression SET clicks = x'00010000'" + two, "clicks of a list are damaged");
}

TEST_F(Damage, OfWhatTellsRepetitionsIsFound) {
  make();
  expect_found("DELETE FROM event WHERE id = 'click on two'",
               "impression two: its event 'click on two' is missing");
  expect_found("DELETE FROM named WHERE id = 'two'", "is not found by its name");
  expect_found("UPDATE named SET answer = x'00' WHERE id = 'two'", "stored answer of impression");
  expect_found("DROP TABLE held", "table held is missing");
}

}  // namespace
}  // namespace dcmrank::testing
