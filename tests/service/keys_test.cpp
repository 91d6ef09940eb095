// Who may do what.
#include "key_hash.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class KeysOfTheService : public ServiceTest {
 protected:
  int status(const std::string& method, const std::string& path, const std::string& body,
             const std::string& key) {
    return call(method, path, body, key.empty() ? "" : "Authorization: Bearer " + key + "\r\n")
        .status;
  }
};

TEST_F(KeysOfTheService, AllowWhatTheirScopeAndModelSay) {
  write(folder() / "keys",
        "# who\n" + key_line("ranker", "rank *") + key_line("reporter", "feedback *") +
            key_line("watcher", "metrics *") + key_line("tenant", "metrics shop") +
            key_line("root", "admin,rank,feedback *") +
            key_line("one", "rank,feedback,admin shop"));
  start("--keys keys");
  const std::string rank_body = R"({"query":"q","items":["a","b"],"model":"default"})";
  const std::string event = R"({"impression":"none","type":"close"})";
  EXPECT_EQ(status("POST", "/v1/rank", rank_body, ""), 401);
  EXPECT_EQ(status("POST", "/v1/rank", rank_body, "wrong"), 401);
  EXPECT_EQ(status("POST", "/v1/rank", rank_body, "ranker"), 200);
  EXPECT_EQ(status("POST", "/v1/rank", rank_body, "reporter"), 403);
  EXPECT_EQ(status("POST", "/v1/feedback", event, "ranker"), 403);
  EXPECT_EQ(status("POST", "/v1/feedback", event, "reporter"), 200);
  EXPECT_EQ(status("GET", "/v1/models", "", "ranker"), 403);
  EXPECT_EQ(status("GET", "/metrics", "", "ranker"), 403);
  EXPECT_EQ(status("GET", "/metrics", "", "root"), 200);
  EXPECT_EQ(status("GET", "/metrics", "", "watcher"), 200);
  EXPECT_EQ(status("GET", "/metrics", "", "tenant"), 403);
  EXPECT_EQ(status("GET", "/v1/models", "", "watcher"), 403);
  EXPECT_EQ(status("GET", "/v1/export", "", "watcher"), 403);
  EXPECT_EQ(status("POST", "/v1/rank", rank_body, "watcher"), 403);
  EXPECT_EQ(status("GET", "/healthz", "", ""), 200);
  EXPECT_EQ(status("GET", "/readyz", "", ""), 200);
  EXPECT_EQ(status("GET", "/openapi.json", "", ""), 200);
  EXPECT_EQ(call("POST", "/v1/rank", rank_body, "X-Api-Key: ranker\r\n").status, 200);

  EXPECT_EQ(status("POST", "/v1/rank", rank_body, "one"), 403);
  EXPECT_EQ(status("PUT", "/v1/models/shop", "{}", "one"), 200);
  EXPECT_EQ(status("PUT", "/v1/models/default", "{}", "one"), 403);
  EXPECT_EQ(status("GET", "/v1/models/default/queries", "", "one"), 403);
  EXPECT_EQ(status("GET", "/v1/export", "", "one"), 403);
  EXPECT_EQ(status("POST", "/v1/import", "x", "one"), 400);
  EXPECT_EQ(status("POST", "/v1/import", "x", "ranker"), 403);
  EXPECT_EQ(status("GET", "/v1/export", "", "root"), 200);
  EXPECT_EQ(call("GET", "/v1/models", "", "Authorization: Bearer one\r\n").json()["models"].size(),
            1U);
}

TEST_F(KeysOfTheService, ReportOnlyToTheirOwnModel) {
  write(folder() / "keys",
        key_line("root", "admin,rank,feedback *") + key_line("one", "feedback shop"));
  start("--keys keys");
  const HttpAnswer ranked = call("POST", "/v1/rank", R"({"query":"q","items":["a","b"]})",
                                 "Authorization: Bearer root\r\n");
  const std::string event = close(ranked.json()["impression"]).dump();
  EXPECT_EQ(call("POST", "/v1/feedback", event, "Authorization: Bearer one\r\n")
                .json()["results"][0]["status"],
            "unknown_impression");
  EXPECT_EQ(call("POST", "/v1/feedback", event, "Authorization: Bearer root\r\n")
                .json()["results"][0]["status"],
            "accepted");
  // Nor by reporting before the impression comes.
  call("POST", "/v1/feedback", close("mine").dump(), "Authorization: Bearer one\r\n");
  call("POST", "/v1/rank", R"({"query":"q","items":["a","b"],"id":"mine"})",
       "Authorization: Bearer root\r\n");
  HttpAnswer found;
  EXPECT_TRUE(eventually([&] {
    found = call("GET", "/v1/impressions/mine", "", "Authorization: Bearer root\r\n");
    return found.status == 200;
  }));
  EXPECT_EQ(found.json()["state"], "open");
}

TEST_F(KeysOfTheService, AreReadFromLinesOfHashesAlone) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"secretkey rank *\n", "keys:1"},
      {key_line("k", "rank *") + key_line("k", "read *"), "keys:2"},
      {key_line("k", "rank"), "keys:1"},
      {key_line("k", "rank * more"), "keys:1"},
      {key_line("k", "rank * secretkey=1"), "keys:1: after the model"},
      {key_line("k", "rank * rate=-1"), "keys:1: rate"},
      {key_line("k", "rank * rate=1e9"), "keys:1: rate"},
      {key_line("k", "rank * burst=0"), "keys:1: burst"},
      {key_line("k", "rank * held=x"), "keys:1: held"},
      {key_line("k", "rank * rate=1 rate=2"), "keys:1: rate= twice"},
      {key_line("k", "rank * name="), "keys:1: the name"},
      {key_line("k", "rank * name=" + std::string(101, 'n')), "keys:1: the name"},
      {key_line("k", "rank * expires=soon"), "keys:1: expires"},
      {key_line("k", "rank * expires=2027-02-30"), "keys:1: expires"},
      {key_line("k", "rank * expires=2027-02-20T24:00:00Z"), "keys:1: expires"},
      {key_line("k", "rank * expires=1969-12-31"), "keys:1: expires"},
      {key_line("k", "rank *") + key_line("other", "rank *") + key_line("k", "rank *"),
       "keys:3: the same key as at keys:1"},
      {"\n# none\n", "holds no key"}};
  for (const auto& [text, part] : bad) {
    write(folder() / "keys", text);
    const Outcome outcome = dcmrank("serve --listen 127.0.0.1:0 " + place() + " --keys keys");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("secretkey"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(dcmrank("serve " + place() + " --keys none").status, 2);
}

TEST_F(KeysOfTheService, HaveAsManyEventsHeldAsTheySay) {
  write(folder() / "keys",
        key_line("few", "feedback * held=2") + key_line("none", "feedback * held=0"));
  start("--keys keys");
  const auto reason = [&](const std::string& key, const std::string& id) {
    const HttpAnswer answer = call("POST", "/v1/feedback", click(id, "a").dump(), bearer(key));
    return answer.json()["results"][0]["reason"].get<std::string>();
  };
  for (const char* id : {"one", "two"}) EXPECT_TRUE(reason("few", id).starts_with("held")) << id;
  EXPECT_NE(reason("few", "three").find("too many"), std::string::npos);
  EXPECT_NE(reason("none", "one").find("too many"), std::string::npos);
}

TEST_F(KeysOfTheService, ExpireByTheWallClock) {
  write(folder() / "keys", key_line("old", "rank * expires=2020-01-31") +
                               key_line("new", "rank * name=shop expires=2120-01-31T12:00:00Z"));
  start("--keys keys");
  const std::string body = R"({"query":"q","items":["a","b"]})";
  const HttpAnswer refused = call("POST", "/v1/rank", body, bearer("old"));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.code(), "expired_key");
  EXPECT_NE(refused.body.find("2020-01-31T00:00:00Z"), std::string::npos) << refused.body;
  EXPECT_EQ(call("POST", "/v1/rank", body, bearer("none")).code(), "wrong_key");
  EXPECT_EQ(status("POST", "/v1/rank", body, "new"), 200);
}

TEST_F(KeysOfTheService, AreNeededToListenToOthers) {
  const Outcome outcome = dcmrank("serve --listen 0.0.0.0:0 " + place());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--keys"), std::string::npos) << outcome.err;
  EXPECT_EQ(dcmrank("serve --listen nonsense " + place()).status, 2);
  EXPECT_EQ(dcmrank("serve --listen 127.0.0.1:99999 " + place()).status, 2);
  EXPECT_EQ(dcmrank("serve --max-body 0 " + place()).status, 2);
  EXPECT_EQ(dcmrank("serve --hold soon " + place()).status, 2);
}

TEST_F(KeysOfTheService, AreForOneModelOrForAll) {
  write(folder() / "keys", key_line("k", "rank,feedback default,control"));
  write(folder() / "c.toml", key_table("k", "scopes = [\"rank\"]\nmodel = \"default,control\""));
  for (const std::string options : {"--keys keys", "--config c.toml"}) {
    const Outcome outcome = dcmrank("serve " + place() + " --check " + options);
    EXPECT_EQ(outcome.status, 2) << options;
    EXPECT_NE(outcome.err.find("one key for each model, or *"), std::string::npos) << outcome.err;
  }
}

TEST_F(KeysOfTheService, ThatOpenNothingAreNoted) {
  const auto notes = [&](const std::string& keys) {
    write(folder() / "keys", keys);
    const Outcome outcome = dcmrank("serve " + place() + " --check --keys keys");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "no fault found\n");
    return outcome.err;
  };
  const std::string good = key_line("k", "rank * expires=2126-01-31");
  EXPECT_EQ(notes(good + key_line("w", "metrics *") + key_line("s", "rank,metrics,admin *")), "");
  const std::string old = key_line("o", "rank * expires=2020-01-31");
  EXPECT_NE(notes(good + old).find("keys:2: the key has expired"), std::string::npos);
  EXPECT_EQ(notes(good + old).find("all keys"), std::string::npos);
  EXPECT_NE(notes(old).find("all keys have expired"), std::string::npos);
  const std::string watcher = notes(good + key_line("w", "metrics shop"));
  EXPECT_NE(watcher.find("keys:2: the scope metrics"), std::string::npos) << watcher;
  EXPECT_NE(watcher.find("for all models (*)"), std::string::npos) << watcher;
  EXPECT_NE(notes(key_line("w", "rank,metrics shop")).find("the scope metrics"), std::string::npos);
  start("--keys keys");
  EXPECT_NE(stop().err.find("the scope metrics"), std::string::npos);
  // Whoever reads the log alone hears of them, too, and at a reload.
  write(folder() / "keys", good + old);
  start("--keys keys --log log");
  const auto expired = [&](const char* place) {
    return read(folder() / "log").find(std::string(place) + ": the key has expired") !=
           std::string::npos;
  };
  EXPECT_TRUE(expired("keys:2"));
  write(folder() / "keys", good + "\n" + old);
  process().signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return expired("keys:3"); }));
}

}  // namespace
}  // namespace dcmrank::testing
