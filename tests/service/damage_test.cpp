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

// A program with a policy of somebody's own stored it, and this one is another.
TEST_F(Damage, AModelOfAnUnknownPolicyIsNoneButIsNotCheckedInFull) {
  make();
  const std::string said = after("UPDATE model SET policy = 'ucb-v' WHERE name = 'default'");
  EXPECT_NE(said.find(": 0 faults\n"), std::string::npos) << said;
  EXPECT_NE(said.find("the database has the model 'default', which this program cannot serve: "
                      "unknown policy 'ucb-v'"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("; start a program that knows its policy, or with that one give the model "
                      "another policy or erase it\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("data: no faults, but 1 model of a policy that this program does not know "
                      "could not be checked in full"),
            std::string::npos)
      << said;
  const Outcome served = dcmrank("serve --data data --listen 127.0.0.1:0");
  EXPECT_EQ(served.status, 2);
  EXPECT_NE(served.err.find("start a program that knows its policy"), std::string::npos)
      << served.err;
  expect_found(
      "UPDATE model SET policy = 'ucb-v' WHERE name = 'default'; UPDATE query SET rounds = 7",
      "rounds are stored");
}

TEST_F(Damage, AModelThatIsBeingErasedIsNone) {
  make();
  std::filesystem::remove_all(folder() / "data");
  std::filesystem::copy(folder() / "good", folder() / "data");
  service::Database((folder() / "data/dcmrank.db").string(), service::Database::Mode::kWrite)
      .execute("UPDATE model SET name = NULL WHERE name = 'default'");
  const Outcome outcome = dcmrank("verify --data data");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("1 unfinished, which is no fault"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("model 1 is being erased: "), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace dcmrank::testing
