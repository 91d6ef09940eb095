// The folder of a service on SQLite: foreign, earlier, damaged, copied, gone, of another user.
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

#include "dcmrank/store/sqlite.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

namespace fs = std::filesystem;

class SqliteFolder : public SqliteTest {
 protected:
  // `dcmrank serve` on `data` is refused with a line that has `part`, and touches nothing.
  void refuses_to_serve(const std::string& part) {
    const std::string before = read(folder() / "data/dcmrank.db");
    const Outcome outcome = dcmrank("serve --listen 127.0.0.1:0 --data data");
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(read(folder() / "data/dcmrank.db"), before);
  }
};

// As root leaves a copy that a service, which is not root, is to go on with.
class FolderOfOthers : public SqliteTest {
 protected:
  // As a user that nothing here belongs to, where whoever tests can be such a one.
  Outcome as_other(const std::string& words) {
    std::vector<std::string> command;
    if (::geteuid() == 0) {
      command = {"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"};
    }
    command.emplace_back(places::kProgram);
    std::istringstream stream(words);
    for (std::string word; stream >> word;) command.push_back(word);
    return Process(command, folder()).wait();
  }
  void allow(const char* file, unsigned mode) {
    fs::permissions(folder() / file, static_cast<fs::perms>(mode));
  }
  void expect_told(const std::string& words, const std::string& what) {
    const Outcome outcome = as_other(words);
    EXPECT_EQ(outcome.status, 2) << words << outcome.err;
    EXPECT_NE(outcome.err.find("data/dcmrank.db " + what + ": Permission denied; "),
              std::string::npos)
        << words << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(" belongs to "), std::string::npos) << outcome.err;
    const char* help = ::geteuid() == 0 ? "chown" : "chmod";
    EXPECT_NE(outcome.err.find(help), std::string::npos) << outcome.err;
  }
};

TEST_F(SqliteFolder, AcknowledgesNothingWhenTheDiskCannotSync) {
  start_on_bad_disk();
  const std::string impression = rank("q", {"a", "b"});
  report(click(impression, "a"));
  disk("sync");
  const HttpAnswer refused = call("POST", "/v1/feedback", close(impression).dump());
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_EQ(query("q")["rounds"], 0);
  const HttpAnswer ranked = call("POST", "/v1/rank", R"({"query":"q","items":["a","b"]})");
  EXPECT_EQ(ranked.status, 200);
  EXPECT_EQ(ranked.json()["round"], 1);  // memory, too, is as before
  disk_is_well();
  EXPECT_TRUE(eventually([&] { return call("GET", "/readyz").status == 200; }));
  EXPECT_EQ(report(close(impression)), "accepted");
  EXPECT_EQ(query("q")["items"][0]["attracted"], 1);
  expect_verified();
}

TEST_F(SqliteFolder, BelongsToOneServerAtATime) {
  start();
  const Outcome second = dcmrank("serve --listen 127.0.0.1:0 --data data");
  EXPECT_EQ(second.status, 2);
  EXPECT_NE(second.err.find("another dcmrank serve uses this folder"), std::string::npos);
  EXPECT_EQ(call("GET", "/healthz").status, 200);
  stop(SIGKILL);
  start();
}

TEST_F(SqliteFolder, IsNeverMadeOverAFileThatIsNotOurs) {
  fs::create_directories(folder() / "data");
  write(folder() / "data/dcmrank.db", "");
  refuses_to_serve("not a dcmrank database");
  write(folder() / "data/dcmrank.db", "my diary, page one" + std::string(1000, '.'));
  refuses_to_serve("not a dcmrank database");
}

TEST_F(SqliteFolder, OfALaterVersionOrDamagedIsRefused) {
  start();
  rank("q", {"a", "b"});
  stop();
  const std::string whole = read(folder() / "data/dcmrank.db");
  std::string later = whole;
  later[63] = 99;  // user_version
  write(folder() / "data/dcmrank.db", later);
  refuses_to_serve("layout version 99");
  std::string foreign = whole;
  foreign[68] = 'x';  // application_id
  write(folder() / "data/dcmrank.db", foreign);
  refuses_to_serve("not a dcmrank database");
  std::string damaged = whole;
  damaged.replace(100, 300, std::string(300, 'x'));  // the schema's page
  write(folder() / "data/dcmrank.db", damaged);
  refuses_to_serve("cannot be opened");
  EXPECT_NE(dcmrank("verify --data data").status, 0);
  write(folder() / "data/dcmrank.db", whole.substr(0, whole.size() / 2));
  refuses_to_serve("cut short");
  EXPECT_NE(dcmrank("verify --data data").err.find("cut short"), std::string::npos);
  write(folder() / "data/dcmrank.db", whole);
  start();
}

// layout_v1.sql was written by the first version: three pages taught each way, one is open. Every
// later layout leaves such a file here.
TEST_F(SqliteFolder, OfEveryEarlierLayoutIsReadAndGoesOn) {
  for (const std::string version : {"v1"}) {
    fs::create_directories(folder() / "data");
    const std::string sql = read(fs::path(places::kServiceTests) / ("layout_" + version + ".sql"));
    ASSERT_NE(sql, "");
    service::Database((folder() / "data/dcmrank.db").string(), service::Database::Mode::kCreate)
        .execute(sql.c_str());
    EXPECT_EQ(dcmrank("verify --data data").status, 2);  // and says who brings it up to date
    start();
    EXPECT_EQ(query("shoes")["rounds"], 3);
    EXPECT_EQ(query("shoes")["items"][1]["attracted"], 1);
    EXPECT_EQ(query("hats", "kl")["items"][1]["attracted"], 1);
    EXPECT_EQ(report(close("m4")), "accepted");
    EXPECT_EQ(query("shoes")["rounds"], 4);
    EXPECT_EQ(query("shoes")["items"][1]["attracted"], 2);
    stop();
    expect_verified();
    fs::remove_all(folder() / "data");
  }
}

// layout_v1_erased.sql: a query and an item were forgotten, which layout 1 did by marks; ids were
// not a model's own; an event waits for its impression.
TEST_F(SqliteFolder, OfTheFirstLayoutLeavesBehindWhatWasForgotten) {
  fs::create_directories(folder() / "data");
  const std::string sql = read(fs::path(places::kServiceTests) / "layout_v1_erased.sql");
  ASSERT_NE(sql.find("secret-query"), std::string::npos);
  service::Database((folder() / "data/dcmrank.db").string(), service::Database::Mode::kCreate)
      .execute(sql.c_str());
  start();
  EXPECT_EQ(query("boots")["rounds"], 4);
  EXPECT_EQ(query("boots")["items"].size(), 2U);
  EXPECT_EQ(call("GET", "/v1/models/default/queries/secret-query").status, 404);
  EXPECT_EQ(get("/v1/impressions/boots0")["items"], json({"left", "", "right"}));
  EXPECT_EQ(get("/v1/impressions/theirs?model=other")["clicks"], json({"left"}));
  EXPECT_EQ(call("GET", "/v1/impressions/theirs").status, 404);
  json again = click("boots3", "right");
  again["id"] = "boots3-e0";
  EXPECT_EQ(report(again), "duplicate");
  // What was held counts as soon as its impression comes.
  rank({{"query", "boots"}, {"items", {"left", "right"}}, {"id", "later"}});
  EXPECT_TRUE(eventually([&] {
    const HttpAnswer found = call("GET", "/v1/impressions/later");
    return found.status == 200 && found.json()["clicks"] == json({"left"});
  }));
  EXPECT_EQ(report(close("still-open")), "accepted");
  EXPECT_EQ(query("boots")["rounds"], 5);
  stop();
  expect_verified();
  EXPECT_EQ(read(folder() / "data/dcmrank.db").find("secret"), std::string::npos);
}

TEST_F(SqliteFolder, IsCopiedWhileItIsUsed) {
  start();
  for (int n = 0; n < 20; ++n) report(close(rank("q", {"a", "b"})));
  EXPECT_EQ(dcmrank("backup --data data --out copy.db").status, 0);
  report(close(rank("q", {"a", "b"})));
  fs::create_directories(folder() / "restored");
  fs::copy(folder() / "copy.db", folder() / "restored/dcmrank.db");
  EXPECT_EQ(dcmrank("verify --data restored").status, 0);
  Server restored(folder(), "--data restored");
  EXPECT_EQ(
      HttpClient(restored.address()).call("GET", "/v1/models/default/queries/q").json()["rounds"],
      20);
  const Outcome again = dcmrank("backup --data data --out copy.db");
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find("copy.db already exists; --force"), std::string::npos) << again.err;
  EXPECT_EQ(dcmrank("backup --data data --out copy.db --force").status, 0);
  EXPECT_EQ(dcmrank("backup --data none --out copy2.db").status, 2);
  EXPECT_FALSE(fs::exists(folder() / "copy2.db"));
  fs::create_symlink("nowhere/at-all.db", folder() / "link.db");
  EXPECT_EQ(dcmrank("backup --data data --out link.db").status, 2) << "a link is something";
  EXPECT_EQ(dcmrank("backup --data data --out link.db --force").status, 0);
  EXPECT_TRUE(fs::is_regular_file(folder() / "link.db"));
}

// The copy holds queries and clicks, also while it is being made, and after a kill.
TEST_F(SqliteFolder, IsCopiedForItsOwnerAlone) {
  start();
  learn("secret");
  write(folder() / ".copy.0123abcd.db", "what a backup that was killed left");
  write(folder() / ".copy.0123abcd.db-journal", "likewise");
  EXPECT_EQ(dcmrank("backup --data data --out copy.db").status, 0);
  for (const auto& entry : fs::directory_iterator(folder())) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".copy.")) << entry.path();
  }
  constexpr auto kOwner = fs::perms::owner_read | fs::perms::owner_write;
  EXPECT_EQ(fs::status(folder() / "copy.db").permissions(), kOwner);
  for (const auto& entry : fs::directory_iterator(folder() / "data")) {
    EXPECT_EQ(entry.status().permissions(), kOwner) << entry.path();
  }
}

// Whoever opens it in time could go on reading it.
TEST_F(SqliteFolder, IsMadeForItsOwnerAlone) {
  const mode_t before = ::umask(0);
  const std::string file = (folder() / "new.db").string();
  const service::Database database(file, service::Database::Mode::kCreate);
  ::umask(before);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// It would wait for a reader, and no signal would end it.
TEST_F(SqliteFolder, IsNotCopiedIntoAPipe) {
  start();
  ASSERT_EQ(mkfifo((folder() / "pipe").c_str(), 0600), 0);
  const Outcome outcome = dcmrank("backup --data data --out pipe --force");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "dcmrank: --out pipe is not a regular file\n");
}

// A server would go on writing to a file that has no name any more.
TEST_F(SqliteFolder, IsNotReplacedByItsOwnCopy) {
  start();
  learn("before");
  fs::create_symlink("data", folder() / "link");
  fs::create_symlink("data/dcmrank.db", folder() / "link.db");
  fs::create_hard_link(folder() / "data/dcmrank.db", folder() / "other-name.db");
  for (const char* out : {"data/dcmrank.db", "data/dcmrank.db-wal", "data/dcmrank.db-shm",
                          "data/new.db", "link/dcmrank.db", "link.db", "data/../data/x.db"}) {
    const Outcome outcome = dcmrank(std::string("backup --data data --force --out ") + out);
    EXPECT_EQ(outcome.status, 2) << out;
    EXPECT_NE(outcome.err.find("among the files of the service"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(dcmrank("backup --data link --force --out data/dcmrank.db").status, 2);
  EXPECT_EQ(dcmrank("backup --data data --force --out other-name.db").status, 0);
  learn("after");
  restart();
  EXPECT_EQ(query("before")["rounds"], 1);
  EXPECT_EQ(query("after")["rounds"], 1);
}

TEST_F(FolderOfOthers, IsNotTakenForAForeignDatabase) {
  start();
  stop();
  fs::permissions(folder(), fs::perms::all);
  if (as_other("--version").status != 0) GTEST_SKIP() << "no other user can run the program";
  allow("data", 0777);
  fs::remove(folder() / "data/lock");
  allow("data/dcmrank.db", ::geteuid() == 0 ? 0600 : 0000);
  expect_told("serve --listen 127.0.0.1:0 --data data", "cannot be read");
  expect_told("verify --data data", "cannot be read");
  expect_told("backup --data data --out copy.db", "cannot be read");
  allow("data/dcmrank.db", 0444);
  expect_told("serve --listen 127.0.0.1:0 --data data", "cannot be written to");
  allow("data/dcmrank.db", 0600);
  allow("data", ::geteuid() == 0 ? 0700 : 0000);
  expect_told("verify --data data", "cannot be read");
  allow("data", 0700);
}

// Otherwise all that is acknowledged goes to files that nobody will find.
TEST_F(SqliteFolder, ThatIsGoneUnderAServerTakesNothing) {
  for (const std::string gone : {"data", "data/dcmrank.db", "data/lock", "data/dcmrank.db-wal"}) {
    forget_all();
    start("--log log");
    const std::string list = rank("q", {"a", "b"});
    EXPECT_EQ(report(click(list, "a")), "accepted");
    fs::remove_all(folder() / gone);
    const HttpAnswer refused = call("POST", "/v1/feedback", close(list).dump());
    EXPECT_EQ(refused.status, 503) << gone;
    EXPECT_NE(refused.body.find("removed or replaced"), std::string::npos) << refused.body;
    const HttpAnswer ready = call("GET", "/readyz");
    EXPECT_EQ(ready.status, 503) << gone;
    EXPECT_NE(ready.body.find("removed or replaced"), std::string::npos) << ready.body;
    EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a","b"]})").status, 200);
    EXPECT_EQ(call("PUT", "/v1/models/m", "{}").status, 503);
    stop();
    const std::string log = read(folder() / "log");
    const std::size_t line = log.find("\"storage_failed\"");
    EXPECT_NE(log.find("removed or replaced", line), std::string::npos) << log;
    EXPECT_EQ(log.find("\"storage_failed\"", line + 1), std::string::npos) << log;
    fs::remove(folder() / "log");
  }
}

TEST_F(SqliteFolder, ThatIsPutBackIsGoneOnWith) {
  start();
  const std::string list = rank("q", {"a", "b"});
  EXPECT_EQ(report(click(list, "a")), "accepted");
  fs::rename(folder() / "data", folder() / "moved");
  EXPECT_TRUE(eventually([&] { return call("GET", "/readyz").status == 503; }));
  fs::copy(folder() / "moved", folder() / "data");
  EXPECT_EQ(call("POST", "/v1/feedback", close(list).dump()).status, 503);
  fs::remove_all(folder() / "data");
  fs::rename(folder() / "moved", folder() / "data");
  EXPECT_TRUE(eventually([&] { return call("GET", "/readyz").status == 200; }));
  EXPECT_EQ(report(close(list)), "accepted");
  stop();
  expect_verified();
}

}  // namespace
}  // namespace dcmrank::testing
