// How an impression teaches.
#include <algorithm>

#include "dcmrank/registry/registry.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Learning : public ServiceTest {};

TEST_F(Learning, ShowsTheCallersOwnListFirst) {
  start();
  const json answer = post("/v1/rank", {{"query", "q"}, {"items", {"x", "b", "a"}}});
  EXPECT_EQ(ids(answer), (std::vector<std::string>{"x", "b", "a"}));
  EXPECT_EQ(answer["round"], 1);
  EXPECT_EQ(answer["items"][0]["score"], 1);
}

TEST_F(Learning, TeachesWhenTheImpressionClosesAndNotBefore) {
  start();
  const std::string impression = rank("q", {"a", "b"});
  EXPECT_EQ(report(click(impression, "a")), "accepted");
  EXPECT_EQ(query("q")["rounds"], 0);
  EXPECT_EQ(get("/v1/impressions/" + impression)["state"], "open");
  EXPECT_EQ(report(close(impression)), "accepted");
  EXPECT_EQ(query("q")["rounds"], 1);
  EXPECT_EQ(query("q")["items"][0]["attracted"], 1);
  expect_verified();
}

TEST_F(Learning, CountsAPageWithoutClicksAgainstAllItsSeenPositions) {
  start();
  json event = close(rank("q", {"a", "b", "c"}));
  event["seen"] = 2;
  EXPECT_EQ(report(event), "accepted");
  const json items = query("q")["items"];
  EXPECT_EQ(items[0]["observed"], 1);
  EXPECT_EQ(items[1]["observed"], 1);
  EXPECT_EQ(items[2]["observed"], 0);
}

// Any order of the same events, with repetitions, teaches the same.
TEST_F(Learning, DependsOnTheSetOfClicksAlone) {
  start();
  std::vector<int> order{0, 1, 2, 3};
  std::optional<json> expected;
  int n = 0;
  do {
    const std::string name = "q" + std::to_string(n++);
    const std::string impression = rank(name, {"a", "b", "c", "d"});
    const std::vector<json> events{click(impression, "a"), click(impression, "c"),
                                   close(impression), click(impression, "a")};
    for (const int e : order) report(events[static_cast<std::size_t>(e)]);
    json learned = counted(query(name));
    learned.erase("query");
    if (!expected) expected = learned;
    EXPECT_EQ(learned, *expected);
  } while (std::next_permutation(order.begin(), order.end()));
  expect_verified();
}

TEST_F(Learning, CountsAnEventIdOnceAndRefusesItForAnotherEvent) {
  start();
  const std::string impression = rank("q", {"a", "b"});
  json event = click(impression, "a");
  event["id"] = "e1";
  EXPECT_EQ(report(event), "accepted");
  EXPECT_EQ(report(event), "duplicate");
  event["item"] = "b";
  EXPECT_EQ(report(event), "rejected");
  EXPECT_EQ(report(click(impression, "a")), "duplicate");
  restart();
  event["item"] = "a";
  EXPECT_EQ(report(event), "duplicate");
}

TEST_F(Learning, SaysWhatBecameOfEveryEvent) {
  start();
  const std::string impression = rank("q", {"a", "b"});
  const json events = {click(impression, "a"),
                       click(impression, "zz"),
                       click("i-0000000000000001deadbeef", "a"),
                       {{"impression", impression}},
                       7};
  const json answer = post("/v1/feedback", events);
  std::vector<std::string> statuses;
  for (const json& result : answer["results"]) statuses.push_back(result["status"]);
  EXPECT_EQ(statuses, (std::vector<std::string>{"accepted", "rejected", "unknown_impression",
                                                "rejected", "rejected"}));
  EXPECT_EQ(answer["accepted"], 1);
  EXPECT_EQ(metric("dcmrank_events_total{status=\"rejected\"}"), 3);
}

TEST_F(Learning, TakesLinesOfEvents) {
  start();
  const std::string impression = rank("q", {"a", "b"});
  const std::string lines =
      click(impression, "a").dump() + "\n\n" + close(impression).dump() + "\n";
  for (const std::string type : {"application/x-ndjson", "application/json"}) {
    const HttpAnswer answer = call("POST", "/v1/feedback", lines, "Content-Type: " + type + "\r\n");
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.json()["results"].size(), 2U);
  }
}

TEST_F(Learning, ClosesAPageWithoutNewsAfterTheModelsTime) {
  start();
  put("/v1/models/fast", {{"close_after", "300ms"}});
  const std::string impression = rank({{"query", "q"}, {"items", {"a", "b"}}, {"model", "fast"}});
  const std::string other = rank("q", {"a", "b"});
  // An impression can be looked at once it is in the database, for which ranking does not wait.
  EXPECT_TRUE(eventually([&] {
    const HttpAnswer found = call("GET", "/v1/impressions/" + impression);
    return found.status == 200 && found.json()["state"] == "timed_out";
  }));
  EXPECT_EQ(query("q", "fast")["items"][0]["observed"], 1);
  EXPECT_EQ(get("/v1/impressions/" + other)["state"], "open");
  expect_verified();
}

TEST_F(Learning, CorrectsExactlyForAClickAfterClosing) {
  start();
  const std::string late = rank("late", {"a", "b", "c"});
  report(click(late, "b"));
  report(close(late));
  EXPECT_EQ(report(click(late, "c")), "accepted");
  const std::string timely = rank("timely", {"a", "b", "c"});
  report(click(timely, "b"));
  report(click(timely, "c"));
  report(close(timely));
  json first = query("late");
  json second = query("timely");
  EXPECT_EQ(first["items"], second["items"]);
  EXPECT_EQ(first["termination"], second["termination"]);
  EXPECT_EQ(first["rounds"], 1);
  EXPECT_EQ(metric("dcmrank_corrections_total"), 1);
  expect_verified();
}

TEST_F(Learning, CallsAClickLateWhenItComesAfterTheTimeForCorrections) {
  start("--correct-for 1ms");
  const std::string impression = rank("q", {"a", "b"});
  report(close(impression));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const json before = query("q");
  EXPECT_EQ(report(click(impression, "a")), "late");
  EXPECT_EQ(query("q"), before);
  EXPECT_EQ(metric("dcmrank_events_total{status=\"late\"}"), 1);
}

TEST_F(Learning, HoldsAClickForAnImpressionThatComesLater) {
  start();
  EXPECT_EQ(report(click("mine", "a")), "unknown_impression");
  EXPECT_EQ(report(close("mine")), "unknown_impression");
  restart(SIGKILL);
  rank({{"query", "q"}, {"items", {"a", "b"}}, {"id", "mine"}});
  EXPECT_TRUE(eventually([&] {
    const HttpAnswer answer = call("GET", "/v1/impressions/mine");
    return answer.status == 200 && answer.json()["state"] == "closed";
  }));
  EXPECT_EQ(query("q")["items"][0]["attracted"], 1);
}

TEST_F(Learning, DropsAHeldClickWhoseImpressionNeverComes) {
  start("--hold 100ms --max-held 2");
  const json first = post("/v1/feedback", click("never", "a"))["results"][0];
  EXPECT_EQ(first["status"], "unknown_impression");
  EXPECT_EQ(first["held"], true);
  report(click("never", "b"));
  const json third = post("/v1/feedback", click("never", "c"))["results"][0];
  EXPECT_FALSE(third.contains("held"));
  EXPECT_NE(third["reason"].get<std::string>().find("too many"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return metric("dcmrank_events_held_expired_total") == 2; }));
  rank({{"query", "q"}, {"items", {"a", "b"}}, {"id", "never"}});
  report(close("never"));
  EXPECT_EQ(query("q")["items"][0]["attracted"], 0);
}

TEST_F(Learning, AnswersTheSameIdWithTheStoredAnswer) {
  start();
  const json body{{"query", "q"}, {"items", {"a", "b", "c"}}, {"id", "mine"}};
  const json first = post("/v1/rank", body);
  EXPECT_EQ(post("/v1/rank", body), first);
  report(close("mine"));
  restart();
  EXPECT_EQ(post("/v1/rank", body), first);
  json other = body;
  other["k"] = 2;
  const HttpAnswer refused = call("POST", "/v1/rank", other.dump());
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.code(), "id_taken");
  EXPECT_EQ(query("q")["rounds"], 1);
}

TEST_F(Learning, TakesAPriorForWhatItIs) {
  start();
  const json items = {{{"id", "a"}, {"observed", 1000}, {"attracted", 10}},
                      {{"id", "b"}, {"observed", 1000}, {"attracted", 900}}};
  const json answer = post("/v1/rank", {{"query", "q"}, {"items", items}, {"k", 1}});
  EXPECT_EQ(ids(answer), (std::vector<std::string>{"b"}));
  EXPECT_NEAR(answer["items"][0]["estimate"].get<double>(), .9, .01);
}

TEST_F(Learning, WorksWithEveryPolicyThatServesItemsThatComeAndGo) {
  start();
  const std::string listed = dcmrank("policies").out;
  for (const PolicyEntry& entry : policy_registry()) {
    if (listed.find(entry.name) == std::string::npos) continue;  // another test's, in this process
    if (!make_policy(parse_policy_spec(entry.name), Shape{4, 2, 100}).can_open()) continue;
    const std::string model = entry.name;
    put("/v1/models/" + model, {{"policy", entry.name}, {"k", 2}});
    for (unsigned n = 0; n < 8; ++n) {
      const json answer =
          post("/v1/rank", {{"query", "q"}, {"items", {"a", "b", "c", "d"}}, {"model", model}});
      ASSERT_EQ(answer["items"].size(), 2U) << model;
      const std::string impression = answer["impression"];
      report(click(impression, ids(answer)[n % 2U]));
      report(close(impression));
      if (n % 3 == 0) report(click(impression, ids(answer)[(n + 1) % 2U]));
    }
    EXPECT_EQ(query("q", model)["rounds"], 8) << model;
  }
  expect_verified();
}

TEST_F(Learning, ShowsTheCallersOrderInTheShadowAndLearnsAllTheSame) {
  start();
  for (const std::string policy : {"recommended", "ranked-kl-ucb", "ranked-exp3"}) {
    put("/v1/models/" + policy, {{"policy", policy}, {"mode", "shadow"}, {"k", 2}});
    for (int n = 0; n < 20; ++n) {
      const json answer =
          post("/v1/rank", {{"query", "q"}, {"items", {"a", "b", "c"}}, {"model", policy}});
      EXPECT_EQ(ids(answer), (std::vector<std::string>{"a", "b"}));
      report(click(answer["impression"], "b"));
      report(close(answer["impression"]));
    }
    EXPECT_EQ(query("q", policy)["rounds"], 20);
  }
}

// So one can judge it before any user sees it.
TEST_F(Learning, TellsInTheShadowWhatItWouldHaveShown) {
  start();
  put("/v1/models/trial", {{"mode", "shadow"}, {"k", 2}});
  const json request = {{"query", "q"}, {"items", {"a", "b"}}, {"model", "trial"}};
  EXPECT_EQ(post("/v1/rank", request)["would_show"].size(), 2U);
  for (int n = 0; n < 60; ++n) {
    const std::string impression = rank(request);
    report(click(impression, "b"));
    report(close(impression));
  }
  int first = 0;
  for (int n = 0; n < 20; ++n) first += post("/v1/rank", request)["would_show"][0] == "b" ? 1 : 0;
  EXPECT_GT(first, 10);
  json named = request;
  named["id"] = "mine";
  EXPECT_EQ(post("/v1/rank", named), post("/v1/rank", named));
  put("/v1/models/trial", {{"mode", "online"}});
  EXPECT_FALSE(post("/v1/rank", request).contains("would_show"));
}

// The better item wins: what the whole service is for.
TEST_F(Learning, LearnsToShowWhatIsClicked) {
  start();
  for (int n = 0; n < 60; ++n) {
    const json answer =
        post("/v1/rank", {{"query", "q"}, {"items", {"a", "b", "c", "good"}}, {"k", 2}});
    for (const std::string& id : ids(answer)) {
      if (id == "good") report(click(answer["impression"], id));
    }
    report(close(answer["impression"]));
  }
  const json answer = post("/v1/rank", {{"query", "q"}, {"items", {"a", "b", "c", "good"}}});
  EXPECT_EQ(ids(answer)[0], "good");
  EXPECT_GT(query("q")["items"][3]["estimate"].get<double>(), .8);
}

TEST_F(Learning, SaysWhatToDoWhereAListIsLostThatHadAnIdOfTheService) {
  start();
  const std::string id = rank("q", {"a", "b"});
  forget_all();
  restart();
  const json result = post("/v1/feedback", click(id, "a"))["results"][0];
  EXPECT_EQ(result["status"], "unknown_impression");
  const std::string reason = result["reason"];
  EXPECT_NE(reason.find("lost"), std::string::npos) << reason;
  EXPECT_NE(reason.find("\"durable\""), std::string::npos) << reason;
}

}  // namespace
}  // namespace dcmrank::testing
