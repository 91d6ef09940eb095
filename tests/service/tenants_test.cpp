// Walls between models and between keys.
#include "key_hash.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Tenants : public ServiceTest {
 protected:
  json as(const std::string& key, const std::string& path, const json& body) {
    const HttpAnswer answer =
        call("POST", path, body.dump(), "Authorization: Bearer " + key + "\r\n");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json();
  }

  std::string status_of(const std::string& key, const json& event) {
    return as(key, "/v1/feedback", event)["results"][0]["status"];
  }
};

TEST_F(Tenants, UseTheSameIdsAndLoseNothing) {
  write(folder() / "keys", key_line("root", "admin *") +
                               key_line("ann", "rank,feedback,admin ann") +
                               key_line("bob", "rank,feedback,admin bob"));
  start("--keys keys");
  for (const std::string model : {"ann", "bob"}) {
    call("PUT", "/v1/models/" + model, "{}", "Authorization: Bearer root\r\n");
    const json ranked =
        as(model, "/v1/rank",
           {{"query", "q"}, {"items", {"a", "b"}}, {"id", "page-1"}, {"model", model}});
    EXPECT_EQ(ranked["model"], model);
    json event = click("page-1", model == "ann" ? "a" : "b");
    event["id"] = "event-1";
    EXPECT_EQ(status_of(model, event), "accepted") << model;
    EXPECT_EQ(status_of(model, event), "duplicate") << model;
    EXPECT_EQ(status_of(model, close("page-1")), "accepted") << model;
  }
  for (const std::string model : {"ann", "bob"}) {
    const std::string key = "Authorization: Bearer " + model + "\r\n";
    const json own = call("GET", "/v1/impressions/page-1", "", key).json();
    EXPECT_EQ(own["model"], model);
    EXPECT_EQ(own["clicks"], json({model == "ann" ? "a" : "b"}));
    const std::string other = model == "ann" ? "bob" : "ann";
    EXPECT_EQ(call("GET", "/v1/impressions/page-1?model=" + other, "", key).status, 403);
    json foreign = click("page-1", "a");
    foreign["model"] = other;
    EXPECT_EQ(status_of(model, foreign), "rejected");
    EXPECT_EQ(call("DELETE", "/v1/models/" + other, "", key).status, 403);
    EXPECT_EQ(call("GET", "/v1/models/" + model + "/queries/q", "", key).json()["rounds"], 1);
  }
}

TEST_F(Tenants, HoldEventsEachForThemselves) {
  write(folder() / "keys", key_line("root", "admin *") + key_line("ann", "feedback,rank ann") +
                               key_line("bob", "feedback,rank bob"));
  start("--keys keys --max-held 3");
  for (const char* model : {"ann", "bob"}) {
    call("PUT", std::string("/v1/models/") + model, "{}", "Authorization: Bearer root\r\n");
  }
  const auto reason = [&](const std::string& key, const std::string& id) {
    return as(key, "/v1/feedback", click(id, "a"))["results"][0]["reason"].get<std::string>();
  };
  for (int n = 0; n < 3; ++n) {
    EXPECT_NE(reason("ann", "x" + std::to_string(n)).find("held for"), std::string::npos);
  }
  EXPECT_NE(reason("ann", "x4").find("too many events are held"), std::string::npos);
  EXPECT_NE(reason("bob", "x0").find("held for"), std::string::npos);
  // Whose impression comes gets his own.
  as("bob", "/v1/rank", {{"query", "q"}, {"items", {"a"}}, {"id", "x0"}, {"model", "bob"}});
  EXPECT_TRUE(eventually([&] {
    return call("GET", "/v1/impressions/x0?model=bob", "", "Authorization: Bearer root\r\n")
               .json()["clicks"] == json({"a"});
  }));
  EXPECT_NE(reason("ann", "x5").find("too many events are held"), std::string::npos);
}

TEST_F(Tenants, OfModelsThatAKeyMayAllUseNameThem) {
  start();
  call("PUT", "/v1/models/m", "{}");
  const std::string made = rank({{"query", "q"}, {"items", {"a", "b"}}, {"model", "m"}});
  EXPECT_EQ(report(click(made, "a")), "accepted");  // an id that the service made is known to all
  rank({{"query", "q"}, {"items", {"a", "b"}}, {"model", "m"}, {"id", "mine"}});
  json event = click("mine", "a");
  EXPECT_EQ(report(event), "unknown_impression");
  event["model"] = "m";
  EXPECT_EQ(report(event), "accepted");
  event["model"] = "none";
  EXPECT_EQ(report(event), "rejected");
}

TEST_F(Tenants, GetADurableListWhenTheyAskForIt) {
  start_on_bad_disk();
  const json request{{"query", "q"}, {"items", {"a", "b"}}, {"id", "page"}, {"durable", true}};
  EXPECT_EQ(call("POST", "/v1/rank", request.dump()).status, 200);
  EXPECT_EQ(call("GET", "/v1/impressions/page").status, 200);  // at once
  EXPECT_EQ(call("POST", "/v1/rank", request.dump()).status, 200);
  disk("full");
  json another = request;
  another["id"] = "page-2";
  EXPECT_EQ(call("POST", "/v1/rank", another.dump()).status, 503);
  another.erase("durable");
  EXPECT_EQ(call("POST", "/v1/rank", another.dump()).status, 200);
  disk_is_well();
  EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a"],"durable":"yes"})").status, 400);
}

// The words of a database name its host, its users and its files.
TEST_F(Tenants, AloneHearWhyNothingIsStored) {
  write(folder() / "keys", key_line("root", "admin,rank,feedback *"));
  start_on_bad_disk("--keys keys");
  const std::string key = "Authorization: Bearer root\r\n";
  call("POST", "/v1/rank", R"({"query":"q","items":["a","b"],"durable":true})", key);
  disk("full");
  call("POST", "/v1/rank", R"({"query":"q","items":["a","b"],"durable":true})", key);
  EXPECT_TRUE(eventually([&] { return status("GET", "/readyz", "") == 503; }));
  const std::string to_all = call("GET", "/readyz").body;
  EXPECT_NE(to_all.find("the log says why"), std::string::npos) << to_all;
  EXPECT_EQ(call("GET", "/readyz", "", "Authorization: Bearer other\r\n").body, to_all);
  const std::string to_key = call("GET", "/readyz", "", key).body;
  EXPECT_EQ(to_key.find("the log says why"), std::string::npos) << to_key;
}

}  // namespace
}  // namespace dcmrank::testing
