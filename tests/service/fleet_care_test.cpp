// What is done with the PostgreSQL of a fleet: filled from a folder, copied and restored, reached
// by TLS; and what is looked for in it.
#include <algorithm>

#include "fleet_test.h"
#include "key_hash.h"

namespace dcmrank::testing {
namespace {

class FleetCare : public FleetTest {
 protected:
  void SetUp() override {
    if (!PgCluster::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = PgCluster::shared().new_database();
  }
  static std::string name_of(const std::string& uri) {
    const std::size_t start = uri.find("@/") + 2;
    return uri.substr(start, uri.find('?') - start);
  }
  static std::vector<std::string> exported(const Server& server) {
    const HttpAnswer answer = HttpClient(server.address()).call("GET", "/v1/export");
    EXPECT_EQ(answer.status, 200);
    std::istringstream stream(answer.body);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  void visit(const std::vector<std::string>& addresses, const std::string& options) {
    const Outcome outcome = dcmrank(kUsers + urls(addresses) + options);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }
};

TEST_F(FleetCare, MigrateMovesAFolderExactly) {
  const json named = {{"query", "n"}, {"items", {"x", "y"}}, {"id", "mine"}, {"durable", true}};
  const json rank = {{"query", "q"}, {"items", {"x", "y"}}, {"durable", true}};
  json answer;
  json click;
  json open;
  std::vector<std::string> before;
  {
    Server server(folder(), "--data data --close-after 1h");
    visit({server.address()}, "--rate 200 --duration 1500ms");
    answer = ask(server, "POST", "/v1/rank", named);
    const json list = ask(server, "POST", "/v1/rank", rank);
    click = {{"impression", list["impression"]}, {"item", "x"}, {"type", "click"}, {"id", "c"}};
    ask(server, "POST", "/v1/feedback", click);
    open = ask(server, "GET", "/v1/impressions/" + list["impression"].get<std::string>());
    before = exported(server);
    EXPECT_EQ(server.stop().status, 0);
  }
  const Outcome moved = dcmrank("migrate --from data " + store());
  EXPECT_EQ(moved.status, 0) << moved.out << moved.err;
  expect_recounted();
  const auto a = serve("--close-after 1h");
  EXPECT_EQ(exported(*a), before);
  EXPECT_EQ(ask(*a, "POST", "/v1/rank", named), answer);
  EXPECT_EQ(ask(*a, "GET", "/v1/impressions/" + open["impression"].get<std::string>()), open);
  EXPECT_EQ(ask(*a, "POST", "/v1/feedback", click)["results"][0]["status"], "duplicate");
  const json end = {{"impression", open["impression"]}, {"type", "close"}};
  EXPECT_EQ(ask(*a, "POST", "/v1/feedback", end)["results"][0]["status"], "accepted");
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
  const Outcome again = dcmrank("migrate --from data " + store());
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find("the database is not empty"), std::string::npos) << again.err;
  EXPECT_EQ(dcmrank("migrate --from nowhere " + store()).status, 2);
}

TEST_F(FleetCare, MigrateRefusesWhatPostgresqlCannotKeep) {
  const std::string longer(2601, 'x');
  {
    Server server(folder(), "--data data --max-id 5000");
    ask(server, "POST", "/v1/rank", {{"query", "q"}, {"items", {"a", longer}}, {"durable", true}});
    EXPECT_EQ(server.stop().status, 0);
  }
  const Outcome moved = dcmrank("migrate --from data " + store());
  EXPECT_EQ(moved.status, 2);
  EXPECT_NE(moved.err.find("item 'xxx"), std::string::npos) << moved.err;
  EXPECT_NE(moved.err.find("has 2601 bytes"), std::string::npos) << moved.err;
  EXPECT_EQ(dcmrank("verify " + store()).status, 0) << "nothing of it is there";
}

// The drill of docs/fleet.md: a copy of the running database, put into another one, is whole, knows
// all that was acknowledged before, and goes on.
TEST_F(FleetCare, ACopyIsRestoredAndGoesOn) {
  const auto a = serve();
  visit({a->address()}, "--rate 200 --duration 1500ms");
  const auto known = exported(*a);
  const auto run = [&](std::vector<std::string> command) {
    command.front() = PgCluster::program(command.front());
    const Outcome outcome = Process(command, folder()).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  };
  run({"pg_dump", "--schema=dcmrank", "--format=custom", "--file=copy", store_});
  EXPECT_EQ(a->stop().status, 0);
  store_ = PgCluster::shared().new_database();
  run({"pg_restore", "--no-owner", "--dbname=" + store_, "copy"});
  expect_recounted();
  const auto b = serve();
  EXPECT_EQ(exported(*b), known);
  visit({b->address()}, "--rate 200 --duration 1s --seed 2 --name again");
  EXPECT_EQ(b->stop().status, 0);
  expect_recounted();
}

TEST_F(FleetCare, AnExportOfOneStoreIsImportedIntoAnother) {
  const auto a = serve();
  visit({a->address()}, "--rate 200 --duration 1s");
  const std::string state = HttpClient(a->address()).call("GET", "/v1/export").body;
  Server folder_server(folder(), "--data data");
  EXPECT_EQ(HttpClient(folder_server.address()).call("POST", "/v1/import", state).status, 200);
  EXPECT_EQ(exported(folder_server), exported(*a));
  store_ = PgCluster::shared().new_database();
  const auto b = serve();
  EXPECT_EQ(HttpClient(b->address()).call("POST", "/v1/import", state).status, 200);
  EXPECT_EQ(exported(*b), exported(*a));
  expect_recounted();
}

// By sslmode=verify-full: only a database that shows a certificate of the right name is believed.
TEST_F(FleetCare, TheAddressAsksForTls) {
  PgCluster cluster({"listen_addresses=127.0.0.1"}, PgCluster::free_port());
  cluster.use_tls();
  cluster.ask("CREATE DATABASE ranks");
  const std::string at = "postgresql://dcmrank@localhost:" + std::to_string(cluster.port()) +
                         "/ranks?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=";
  store_ = at + cluster.certificate().string();
  {
    const auto a = serve();
    ASSERT_NE(a->address(), "");
    learned_by(*a);
    EXPECT_EQ(cluster.ask("SELECT bool_and(ssl) FROM pg_stat_activity JOIN pg_stat_ssl USING(pid) "
                          "WHERE application_name = 'dcmrank'"),
              "t");
    EXPECT_EQ(a->stop().status, 0);
  }
  expect_recounted();
  PgCluster::make_certificate(folder(), "other");
  const Outcome refused = dcmrank("verify --store " + at + (folder() / "other.pem").string());
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("certificate verify failed"), std::string::npos) << refused.err;
}

// As a database that is spread by bucket wants it: whatever rows a transaction writes are of one.
TEST_F(FleetCare, ATransactionWritesToOneBucket) {
  const auto a = serve();
  const auto b = serve();
  const auto sql = [&](const std::string& text) {
    return PgCluster::shared().ask(text, name_of(store_));
  };
  sql("CREATE TABLE public.written(transaction bigint, bucket integer, what text)");
  sql("CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "INSERT INTO public.written VALUES(txid_current(), coalesce(NEW.bucket, OLD.bucket), "
      "TG_TABLE_NAME || ' ' || TG_OP); RETURN NULL; END $$");
  sql("DO $$ DECLARE name text; BEGIN FOR name IN SELECT c.relname FROM pg_class AS c JOIN "
      "pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_attribute AS t ON t.attrelid = c.oid "
      "WHERE n.nspname = 'dcmrank' AND c.relkind = 'r' AND t.attname = 'bucket' LOOP EXECUTE "
      "format('CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON dcmrank.%I FOR EACH ROW "
      "EXECUTE FUNCTION public.note()', name); END LOOP; END $$");
  visit({a->address(), b->address()}, "--rate 600 --duration 2s --name m");
  learned_by(*a);
  // Many lists of one query that are stored together; so much learned that it is summed up.
  const auto is_there = [&](const std::string& table) {
    return sql("SELECT count(*) FROM public.written WHERE what LIKE '" + table + " %'") != "0";
  };
  EXPECT_TRUE(eventually([&] {
    const json list = {{"query", "q"}, {"items", {"x", "y"}}};
    for (int n = 0; n < 100; ++n) ask(*a, "POST", "/v1/rank", list);
    for (int n = 0; n < 20; ++n) learned_by(*a);
    return is_there("pack") && is_there("item");
  }));
  const json mine = {{"query", "q"}, {"items", {"x", "y"}}, {"id", "mine"}, {"durable", true}};
  ask(*a, "POST", "/v1/rank", mine);
  ask(*a, "DELETE", "/v1/impressions/mine");
  ask(*a, "DELETE", "/v1/models/default/queries/q");
  EXPECT_EQ(sql("SELECT string_agg(DISTINCT what, ', ') FROM public.written JOIN (SELECT "
                "transaction FROM public.written GROUP BY 1 HAVING count(DISTINCT bucket) > 1) "
                "AS several USING(transaction)"),
            "");
  EXPECT_GT(std::stoi(sql("SELECT count(DISTINCT transaction) FROM public.written")), 100);
  EXPECT_EQ(sql("SELECT string_agg(DISTINCT split_part(what, ' ', 1), ' ' ORDER BY "
                "split_part(what, ' ', 1)) FROM public.written WHERE what NOT LIKE 'held%'"),
            "delta done erased event impression item named pack query");
}

// What "Upgrading without a stop" shows and can be tried here, as it stands there: a server of each
// version beside the other, of which there is one.
TEST_F(FleetCare, UpgradingIsLookedAtAsTheManualSays) {
  write(folder() / "keys", key_line("watching", "metrics *"));
  const auto a = serve("--keys keys");
  const auto b = serve("--keys keys");
  const std::string uri = store_;
  const auto with = [&](std::string line, const Server& server) {
    const auto put = [&](const std::string& shown, const std::string& here) {
      const auto at = line.find(shown);
      if (at != std::string::npos) line.replace(at, shown.size(), here);
    };
    put("HOST:8080", server.address());
    put("127.0.0.1:8080", server.address());
    put("-h db.example -U dcmrank -d dcmrank", "'" + uri + "'");
    put("psql ", PgCluster::program("psql") + " ");
    return Process({"env", "KEY=watching", "sh", "-c", line}, folder()).wait();
  };
  std::istringstream manual(read(std::filesystem::path(places::kDocs) / "fleet.md"));
  bool here = false;
  std::size_t tried = 0;
  for (std::string line; std::getline(manual, line);) {
    if (line.starts_with("## ")) here = line == "## Upgrading without a stop";
    const bool runs = line.starts_with("    curl ") || line.starts_with("    psql ");
    if (!here || !runs) continue;
    for (const Server* server : {&*a, &*b}) {
      const Outcome outcome = with(line, *server);
      EXPECT_EQ(outcome.status, 0) << line << outcome.err;
      const std::string needed = line.find("readyz") != std::string::npos ? "\"status\":\"ok\""
                                 : line.find("psql") != std::string::npos ? "least"
                                                                          : "version=\"";
      EXPECT_NE(outcome.out.find(needed), std::string::npos) << line << outcome.out;
    }
    ++tried;
  }
  EXPECT_EQ(tried, 3U);
}

}  // namespace
}  // namespace dcmrank::testing
