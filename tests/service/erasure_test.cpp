// What is erased is gone: from every call, and from every byte of every file.
#include <csignal>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Erasure : public ServiceTest {
 protected:
  // Some text that stands in all the places where such a text can stand.
  void teach(const std::string& query, const std::string& item, const std::string& id,
             const std::string& model = "default") {
    const std::string impression =
        rank({{"query", query}, {"items", {item, "b", "c"}}, {"id", id}, {"model", model}});
    json events = json::array({click(impression, item), close(impression)});
    for (std::size_t n = 0; n < events.size(); ++n) {
      events[n]["id"] = id + "-event" + std::to_string(n);
      events[n]["model"] = model;
    }
    post("/v1/feedback", events);
  }

  // Texts are counted in all files of the data folder; over PostgreSQL, in all rows.
  std::size_t found(const std::string& text) {
    if (over_postgres()) return count(dump(place().substr(std::strlen("--store "))), hex(text));
    std::size_t sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder() / "data")) {
      sum += count(read(entry.path()), text);
    }
    return sum;
  }
  static std::size_t count(const std::string& bytes, const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = bytes.find(text); at != std::string::npos;
         at = bytes.find(text, at + 1)) {
      ++count;
    }
    return count;
  }
  std::string dump(const std::string& uri) {
    return Process({PgCluster::program("pg_dump"), "--schema=dcmrank", "--data-only", uri},
                   folder())
        .wait()
        .out;
  }
  static std::string hex(const std::string& text) {
    std::string result;
    for (const char c : text) result += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return result;
  }

  Process old_reader() {
    if (over_postgres()) {
      return {{"psql", "-qX", place().substr(std::strlen("--store "))},
              folder(),
              "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM dcmrank.query;\n"
              "\\! touch reading; exec sleep 60\n"};
    }
    return Process({"python3", "-c",
                    "import sqlite3, time\n"
                    "base = sqlite3.connect('data/dcmrank.db', isolation_level=None)\n"
                    "base.execute('BEGIN')\n"
                    "base.execute('SELECT * FROM query').fetchall()\n"
                    "open('reading', 'w').close()\n"
                    "time.sleep(60)\n"},
                   folder());
  }
  // Over PostgreSQL nobody sees what was erased; whether it is still in the files is noted.
  bool is_to_be_wiped() {
    if (!over_postgres()) return found("secretquery") > 0;
    return in_postgres("SELECT count(*) FROM meta WHERE name = 'to_wipe'") != "0";
  }

  // So many that their rows are moved from page to page.
  void click_late(const std::string& id) {
    json events = json::array();
    for (int n = 0; n < 300; ++n) {
      events.push_back(click(id + std::to_string(n * 7919 % 1000), "secretitem"));
      events.back()["id"] = "secretevent" + std::to_string(n);
    }
    const json answer = post("/v1/feedback", events);
    for (const json& result : answer.at("results")) {
      EXPECT_EQ(result["held"], true) << result;
    }
  }

  void erase(const std::string& path) {
    const HttpAnswer answer = call("DELETE", path);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.json()["erased"], true);
  }

  void expect_gone(const std::string& text) {
    EXPECT_TRUE(eventually([&] { return found(text) == 0; })) << found(text);
    EXPECT_EQ(call("GET", "/v1/export").body.find(text), std::string::npos);
    EXPECT_EQ(call("GET", "/v1/models/default/queries").body.find(text), std::string::npos);
  }
};

TEST_F(Erasure, OfAQueryLeavesNoByteOfIt) {
  start();
  for (int n = 0; n < 20; ++n) teach("secretquery", "secretitem", "secretpage" + std::to_string(n));
  teach("other", "a", "page");
  EXPECT_GT(found("secretquery") + found("secretitem") + found("secretpage"), 0U);
  erase("/v1/models/default/queries/secretquery");
  for (const char* text : {"secretquery", "secretitem", "secretpage"}) expect_gone(text);
  EXPECT_EQ(call("GET", "/v1/models/default/queries/secretquery").status, 404);
  EXPECT_EQ(call("GET", "/v1/impressions/secretpage3").status, 404);
  EXPECT_EQ(call("DELETE", "/v1/models/default/queries/secretquery").status, 404);
  EXPECT_EQ(query("other")["rounds"], 1);
  // The query may come again, and begins anew.
  EXPECT_EQ(post("/v1/rank", {{"query", "secretquery"}, {"items", {"x"}}})["round"], 1);
  stop();
  expect_verified();
}

TEST_F(Erasure, OfAnItemLeavesItsListsWithoutIt) {
  start();
  for (int n = 0; n < 20; ++n) teach("q", "secretitem", "page" + std::to_string(n));
  const std::string open =
      rank({{"query", "q"}, {"items", {"secretitem", "b"}}, {"id", "stillopen"}});
  EXPECT_EQ(report(click(open, "b")), "accepted");
  report(click("notyet", "secretitem"));  // is held
  erase("/v1/models/default/queries/q/items/secretitem");
  expect_gone("secretitem");
  const json left = query("q");
  EXPECT_EQ(left["rounds"], 20);
  for (const json& item : left["items"]) EXPECT_NE(item["id"], "secretitem");
  EXPECT_EQ(get("/v1/impressions/page3")["items"].size(), 3U);
  EXPECT_EQ(report(click(open, "secretitem")), "rejected");
  EXPECT_EQ(report(close(open)), "accepted");
  EXPECT_EQ(query("q")["rounds"], 21);
  // The stored answer named it.
  const HttpAnswer again =
      call("POST", "/v1/rank",
           json{{"query", "q"}, {"items", {"secretitem", "b", "c"}}, {"id", "page3"}}.dump());
  EXPECT_EQ(again.status, 410) << again.body;
  stop();
  expect_verified();
}

// In the shadow an answer names items that were not shown.
TEST_F(Erasure, OfAnItemLeavesNoAnswerThatWouldHaveShownIt) {
  start();
  put("/v1/models/default", {{"mode", "shadow"}, {"k", 1}});
  json request = {{"query", "q"}, {"items", {"a", "secretitem"}}, {"durable", true}};
  bool named = false;
  for (int n = 0; n < 20; ++n) {
    request["id"] = "page" + std::to_string(n);
    named = named || post("/v1/rank", request)["would_show"][0] == "secretitem";
    report(close(request["id"]));  // nobody wants the other one
  }
  EXPECT_TRUE(named);
  request["id"] = "shown";
  request["items"] = {"secretitem", "a"};
  rank(request);
  erase("/v1/models/default/queries/q/items/secretitem");
  expect_gone("secretitem");
  stop();
  expect_verified();
}

TEST_F(Erasure, OfAnImpressionTakesBackWhatItTaught) {
  start();
  teach("q", "a", "page");
  const json before = query("q");
  teach("q", "secretitem", "secretpage");
  erase("/v1/impressions/secretpage");
  for (const char* text : {"secretitem", "secretpage"}) expect_gone(text);
  EXPECT_EQ(counted(query("q")), counted(before));
  EXPECT_EQ(call("DELETE", "/v1/impressions/secretpage").status, 404);
  const std::string made = rank("q", {"a", "b", "c"});
  EXPECT_TRUE(eventually([&] { return call("GET", "/v1/impressions/" + made).status == 200; }));
  erase("/v1/impressions/" + made);
  teach("alone", "x", "only");
  erase("/v1/impressions/only");
  EXPECT_EQ(call("GET", "/v1/models/default/queries/alone").status, 404);
  stop();
  expect_verified();
}

TEST_F(Erasure, OfAModelLeavesTheOthers) {
  start();
  call("PUT", "/v1/models/secretmodel", "{}");
  for (int n = 0; n < 300; ++n) {
    teach("secretquery" + std::to_string(n), "secretitem", "secretpage" + std::to_string(n),
          "secretmodel");
  }
  teach("q", "a", "page");
  erase("/v1/models/secretmodel");
  EXPECT_EQ(call("GET", "/v1/models/secretmodel/queries").status, 404);
  EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a"],"model":"secretmodel"})").status,
            404);
  for (const char* text : {"secretmodel", "secretquery", "secretitem", "secretpage"}) {
    expect_gone(text);
  }
  EXPECT_EQ(query("q")["rounds"], 1);
  call("PUT", "/v1/models/secretmodel", "{}");
  EXPECT_EQ(get("/v1/models/secretmodel/queries")["queries"].size(), 0U);
  stop();
  expect_verified();
}

// Another process holds an old state: nothing can be wiped then, but as soon as it goes.
TEST_F(Erasure, IsCompleteWhenTheLastOldReaderGoes) {
  start();
  teach("secretquery", "secretitem", "secretpage");
  Process reader = old_reader();
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder() / "reading"); }));
  erase("/v1/models/default/queries/secretquery");
  EXPECT_EQ(call("GET", "/v1/models/default/queries/secretquery").status, 404);
  learn("q");  // everything else goes on
  EXPECT_TRUE(is_to_be_wiped());
  reader.signal(SIGKILL);
  reader.wait();
  EXPECT_TRUE(eventually([&] { return !is_to_be_wiped(); }));
  expect_gone("secretquery");
}

// Pages split and are balanced while lists of several queries come: what is moved leaves copies.
TEST_F(Erasure, LeavesNothingInTheGapsOfPages) {
  start();
  for (int n = 0; n < 200; ++n) {
    const std::string query = n % 3 == 0 ? "secretquery" : "other";
    teach(query, query + "-item" + std::to_string(n % 7),
          query + "-page-" + std::to_string((n * 7919) % 1000));
  }
  erase("/v1/models/default/queries/secretquery");
  expect_gone("secretquery");
  stop();
  EXPECT_EQ(found("secretquery"), 0U);
  expect_verified();
}

TEST_F(Erasure, GoesOnAfterACrash) {
  start();
  for (int n = 0; n < 20; ++n) teach("secretquery", "secretitem", "secretpage" + std::to_string(n));
  erase("/v1/models/default/queries/secretquery");
  stop(SIGKILL);
  start();
  expect_gone("secretquery");
  EXPECT_EQ(report(click("secretpage", "secretitem")), "unknown_impression");  // held
  EXPECT_GT(found("secretitem"), 0U);
  erase("/v1/impressions/secretpage");
  expect_gone("secretitem");
}

// The service is idle then.
TEST_F(Erasure, LastsThoughLateClicksBroughtTextsBackForAsLongAsTheyWereHeld) {
  start("--hold 1s");
  teach("secretquery", "secretitem", "secretpage");
  erase("/v1/models/default/queries/secretquery");
  for (const char* text : {"secretpage", "secretitem"}) expect_gone(text);
  click_late("secretpage");
  for (const char* text : {"secretpage", "secretitem", "secretevent"}) expect_gone(text);
}

TEST_F(Erasure, OfWhatLateClicksBroughtBackGoesOnAfterACrash) {
  start("--hold 2s");
  teach("secretquery", "secretitem", "secretpage");
  erase("/v1/impressions/secretpage");
  expect_gone("secretitem");
  click_late("secretpage");
  Process reader = old_reader();
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder() / "reading"); }));
  EXPECT_TRUE(eventually([&] { return metric("dcmrank_events_held_expired_total") == 300; }));
  stop(SIGKILL);
  reader.signal(SIGKILL);
  reader.wait();
  start();
  for (const char* text : {"secretpage", "secretitem", "secretevent"}) expect_gone(text);
}

TEST_F(Erasure, IsFinishedBeforeTheEnd) {
  start();
  call("PUT", "/v1/models/secretmodel", "{}");
  for (int n = 0; n < 300; ++n) {
    rank(
        {{"query", "secretquery" + std::to_string(n)}, {"items", {"a"}}, {"model", "secretmodel"}});
  }
  erase("/v1/models/secretmodel");
  stop();
  EXPECT_EQ(found("secret"), 0U);
  expect_verified();
}

TEST_F(Erasure, OfTheModelDefaultLastsBeyondAStart) {
  start();
  teach("secretquery", "a", "page");
  erase("/v1/models/default");
  restart();
  EXPECT_EQ(get("/v1/models")["models"].size(), 0U);
  EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a"]})").code(), "unknown_model");
  put("/v1/models/default", json::object());
  restart();
  EXPECT_EQ(get("/v1/models")["models"].size(), 1U);
  rank("q", {"a"});
}

TEST_F(Erasure, OfAMisspeltNameSaysSo) {
  start();
  teach("q", "a", "page");
  EXPECT_EQ(call("DELETE", "/v1/models/default/queries/none").code(), "unknown_query");
  EXPECT_EQ(call("DELETE", "/v1/models/default/queries/q/items/none").code(), "unknown_item");
  EXPECT_EQ(call("DELETE", "/v1/models/none").code(), "unknown_model");
  EXPECT_EQ(call("DELETE", "/v1/impressions/none").code(), "unknown_impression");
  EXPECT_EQ(query("q")["rounds"], 1);
}

}  // namespace
}  // namespace dcmrank::testing
