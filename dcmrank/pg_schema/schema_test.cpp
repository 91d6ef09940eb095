// What a database that is spread over machines asks of the tables.
#include "dcmrank/pg_schema/schema.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "../../tests/places.h"
#include "../../tests/postgres/cluster.h"
#include "dcmrank/base/error.h"
#include "dcmrank/libpq/address.h"
#include "dcmrank/postgres/postgres_store.h"
#include "dcmrank/service/verify.h"

namespace dcmrank::service {
namespace {

class Postgres : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::PgCluster::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    uri_ = testing::PgCluster::shared().new_database();
    name_ = uri_.substr(uri_.find("@/") + 2);
    name_.resize(name_.find('?'));
  }
  std::string ask(const std::string& sql) const {
    return testing::PgCluster::shared().ask(sql, name_);
  }

  std::string uri_;
  std::string name_;
};

// As Citus asks for it of what it distributes by `bucket`; Citus itself was not tried. `meta` and
// `model` would be reference tables.
TEST_F(Postgres, EveryKeyHoldsTheBucket) {
  open_postgres_store(uri_, 1);
  EXPECT_EQ(ask("SELECT string_agg(x.indexrelid::regclass::text, ' ') FROM pg_index AS x JOIN "
                "pg_class AS c ON c.oid = x.indrelid JOIN pg_namespace AS n ON "
                "n.oid = c.relnamespace WHERE n.nspname = 'dcmrank' AND x.indisunique AND "
                "c.relname NOT IN ('meta', 'model') AND NOT EXISTS(SELECT 1 FROM pg_attribute AS a "
                "WHERE a.attrelid = c.oid AND a.attname = 'bucket' AND a.attnum = x.indkey[0])"),
            "");
  EXPECT_EQ(ask("SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON "
                "n.oid = c.relnamespace WHERE n.nspname = 'dcmrank' AND c.relkind = 'S'"),
            "0")
      << "a sequence is shared by all";
  EXPECT_EQ(ask("SELECT count(*) FROM pg_constraint AS k JOIN pg_namespace AS n ON "
                "n.oid = k.connamespace WHERE n.nspname = 'dcmrank' AND k.contype = 'f'"),
            "0");
}

TEST_F(Postgres, TablesAreMadeOnceHoweverManyStartAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> problems(4);
  for (std::size_t n = 0; n < problems.size(); ++n) {
    threads.emplace_back([&, n] {
      try {
        open_postgres_store(uri_, 1);
      } catch (const std::exception& error) {
        problems[n] = error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(problems, std::vector<std::string>(4));
  EXPECT_EQ(ask("SELECT value FROM dcmrank.meta WHERE name = 'layout'"), std::to_string(kPgLayout));
}

// tests/service/layout_v1_postgres.sql was written by a server of layout 1: three lists of a query
// taught, one was clicked, one of it and one of another query are open.
TEST_F(Postgres, TablesOfLayoutOneAreBroughtToThePresentOneWithAllThatTheyHold) {
  ask(testing::read(std::filesystem::path(places::kServiceTests) / "layout_v1_postgres.sql"));
  const auto store = open_postgres_store(uri_, 2);
  EXPECT_EQ(store->migrated(), "layout 1 became 3");
  const auto reader = store->reader();
  const auto writer = store->writer();
  EXPECT_EQ(verify(*reader).first_faults, std::vector<std::string>{});
  const std::int64_t model = reader->models().at(0).id;
  const QueryKey shoes{model, "shoes"};
  QueryState state;
  EXPECT_TRUE(reader->load_state(shoes, state));
  EXPECT_EQ(state.rounds, 3U);
  EXPECT_EQ(writer->impressions_of(shoes, 10).size(), 5U);
  EXPECT_EQ(writer->due(std::int64_t{1} << 50U, 10).size(), 3U);
  EXPECT_EQ(reader->find(model, "m4")->clicks, (std::vector<std::uint8_t>{1, 0, 0}));
  writer->begin();
  writer->erase_query(shoes);
  EXPECT_EQ(writer->commit(), Buckets());
  EXPECT_EQ(ask("SELECT string_agg(convert_from(id, 'UTF8'), ' ') FROM dcmrank.impression"), "m6");
  EXPECT_EQ(open_postgres_store(uri_, 1)->migrated(), "");
}

// While a fleet is brought to another version, servers of both share the tables.
TEST_F(Postgres, TablesOfALaterLayoutAreUsedWhereThatIsPossible) {
  EXPECT_THROW(open_postgres_reader(uri_), InputError);  // there are none
  open_postgres_store(uri_, 1);
  ask("UPDATE dcmrank.meta SET value = 99 WHERE name = 'layout'");
  ask("ALTER TABLE dcmrank.impression ADD COLUMN later bigint NOT NULL DEFAULT 7");
  const auto store = open_postgres_store(uri_, 1);
  EXPECT_EQ(store->migrated(), "");
  EXPECT_EQ(ask("SELECT value FROM dcmrank.meta WHERE name = 'layout'"), "99");
  EXPECT_TRUE(open_postgres_reader(uri_)->models().empty());
  ask("UPDATE dcmrank.meta SET value = 98 WHERE name = 'least'");
  EXPECT_THROW(open_postgres_store(uri_, 1), InputError);
  EXPECT_THROW(open_postgres_reader(uri_), InputError);
}

TEST(PostgresAddress, IsShownWithoutItsPassword) {
  EXPECT_EQ(hide_password("postgresql://u:secret@h:5433/d?sslmode=require&sslpassword=secret"),
            "postgresql://u@/d?host=h&port=5433&sslmode=require");
  EXPECT_EQ(hide_password("postgresql://u@h/d?sslmode=require"),
            "postgresql://u@h/d?sslmode=require");
  EXPECT_EQ(hide_password("postgresql://a%20b:s%40cret@h1:1,h2:2/d%2F"),
            "postgresql://a%20b@/d/?host=h1,h2&port=1,2");
  EXPECT_EQ(hide_password("postgresq://u:secret@h"), "postgresql://…");
  EXPECT_EQ(without_password("postgresql://u:secret@h/d"), "postgresql://u@h/d");
  EXPECT_EQ(without_password("postgresql://h:5433/d?user=u&password=secret&sslmode=require"),
            "postgresql://u@h:5433/d");
  EXPECT_EQ(without_password("postgresql:///d?host=/tmp"), "postgresql:///d?host=/tmp");
  EXPECT_EQ(without_password("host=h dbname=d password=secret"), "postgresql://h/d");
  EXPECT_EQ(without_password("postgresql://h/d?passw%6Frd=secret"), "postgresql://h/d");
  for (const char* uri : {"postgresql://u:secr%zzet@h/d", "postgresql://h/d?PASSWORD=secret",
                          "postgresql://h/d?foo=secret"}) {
    EXPECT_EQ(without_password(uri), "postgresql://…");
    try {
      open_postgres_store(uri, 1);
      ADD_FAILURE() << "taken: " << uri;
    } catch (const std::exception& error) {
      EXPECT_EQ(std::string_view(error.what()).find("secr"), std::string_view::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace dcmrank::service
