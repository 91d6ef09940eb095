// What is not a good request: the right status, a clear message, a metric, and a service unharmed.
#include "dcmrank/service/route.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class BadInput : public ServiceTest {
 protected:
  // The body is refused so, names the field, and is counted; afterwards all is well.
  void refuses(const std::string& path, const std::string& body, int status,
               const std::string& code, const std::string& part = "") {
    const std::string counter = "dcmrank_http_refusals_total{code=\"" + code + "\"}";
    const double before = std::max(0.0, metric(counter));
    const HttpAnswer answer = call("POST", path, body);
    const std::string shown = body.substr(0, 200);
    EXPECT_EQ(answer.status, status) << shown << "\n" << answer.body;
    EXPECT_EQ(answer.code(), code) << shown << "\n" << answer.body;
    EXPECT_NE(answer.body.find(part), std::string::npos) << answer.body;
    EXPECT_EQ(metric(counter), before + 1) << shown;
    EXPECT_EQ(call("GET", "/healthz").status, 200);
  }
  static std::string many(std::size_t count) {
    json items = json::array();
    for (std::size_t n = 0; n < count; ++n) items.push_back("i" + std::to_string(n));
    return json{{"query", "q"}, {"items", items}}.dump();
  }
};

TEST_F(BadInput, OfARankingRequestIsNamed) {
  start();
  const std::string path = "/v1/rank";
  refuses(path, "", 400, "bad_json");
  refuses(path, "hello", 400, "bad_json", "byte");
  refuses(path, R"({"query":"q","items":["a"])", 400, "bad_json");
  refuses(path, R"({"query":"q","items":["a"]} x)", 400, "bad_json");
  refuses(path, "[]", 400, "bad_field", "object");
  refuses(path, R"({"items":["a"]})", 400, "bad_field", "query");
  refuses(path, R"({"query":"","items":["a"]})", 400, "bad_field", "query");
  refuses(path, R"({"query":7,"items":["a"]})", 400, "bad_field", "query");
  refuses(path, R"({"query":"q"})", 400, "bad_field", "items");
  refuses(path, R"({"query":"q","items":"a"})", 400, "bad_field", "items");
  refuses(path, R"({"query":"q","items":[]})", 400, "bad_field", "items");
  refuses(path, R"({"query":"q","items":["a",7]})", 400, "bad_field", "items[1]");
  refuses(path, R"({"query":"q","items":["a",""]})", 400, "bad_field", "items[1]");
  refuses(path, R"({"query":"q","items":["a","b","a"]})", 400, "bad_field", "items[2]");
  refuses(path, R"({"query":"q","items":[{"observed":1}]})", 400, "bad_field", "items[0]");
  refuses(path, R"({"query":"q","items":[{"id":"a","observed":-1}]})", 400, "bad_field",
          "items[0].observed");
  refuses(path, R"({"query":"q","items":[{"id":"a","observed":1,"attracted":2}]})", 400,
          "bad_field", "attracted");
  refuses(path, R"({"query":"q","items":["a"],"k":2})", 400, "bad_field", "above");
  refuses(path, R"({"query":"q","items":["a"],"k":0})", 400, "bad_field", "k");
  refuses(path, R"({"query":"q","items":["a"],"k":9223372036854775807})", 400, "bad_field",
          "above the number of items");
  refuses(path, R"({"query":"q","items":["a"],"k":"1"})", 400, "bad_field",
          "k must be a whole number of at least 1");
  refuses(path, R"({"query":"q","items":["a"],"k":1.5})", 400, "bad_field", "k");
  refuses(path, R"({"query":"q","items":["a"],"model":"none"})", 404, "unknown_model");
  refuses(path, R"({"query":"q","items":["a"],"id":"i-000001000000000112345678"})", 400,
          "bad_field", "id");
  refuses(path, R"({"query":"q","items":["a"],"user":{}})", 400, "bad_field", "user");
  refuses(path, "{\"query\":\"q\",\"items\":[\"\xff\xfe\"]}", 400, "bad_json");
  refuses(path, std::string(100'000, '['), 400, "bad_json");
  refuses(path, many(10'001), 400, "too_many_items", "10001");
  refuses(path, json{{"query", std::string(1025, 'q')}, {"items", {"a"}}}.dump(), 400, "bad_field",
          "1025 bytes");
  refuses(path, json{{"query", "q"}, {"items", {std::string(900'000, 'a')}}}.dump(), 400,
          "bad_field", "900000 bytes");
  EXPECT_EQ(metric("dcmrank_impressions_total"), 0);
}

TEST_F(BadInput, IsNotWhatIsOnlyUnknownOrLarge) {
  start("--max-items 20000");
  EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a"],"what":{"is":[this]}})").status,
            400);
  EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a"],"what":{"is":[1]}})").status,
            200);
  EXPECT_EQ(
      call("POST", "/v1/rank",
           json{{"query", std::string(1024, 'q')}, {"items", {std::string(1024, 'a')}}}.dump())
          .status,
      200);
  EXPECT_EQ(call("POST", "/v1/rank", many(10'001)).status, 200);
}

TEST_F(BadInput, OfAFeedbackRequestIsNamed) {
  start("--max-events 3");
  const std::string path = "/v1/feedback";
  const std::string good = R"({"impression":"i","type":"close"})";
  refuses(path, good + "\n\n{\"a\":x}\n", 400, "bad_json",
          "line 3 of the body is not JSON at byte 5");
  refuses(path, "", 400, "bad_json");
  refuses(path, "{", 400, "bad_json");
  refuses(path, "7", 400, "bad_field", "object");
  refuses(path, "{}", 400, "bad_field", "impression");
  refuses(path, R"({"impression":"x"})", 400, "bad_field", "type");
  refuses(path, R"({"impression":"x","type":"view"})", 400, "bad_field", "type");
  refuses(path, R"({"impression":"x","type":"click"})", 400, "bad_field", "item");
  refuses(path, R"({"impression":"x","type":"close","seen":-1})", 400, "bad_field", "seen");
  refuses(path, R"({"impression":"x","type":"close","timestamp":[]})", 400, "bad_field",
          "timestamp");
  refuses(path, "[{},{},{},{}]", 400, "too_many_events");
  EXPECT_EQ(post(path, json::array())["accepted"], 0);
}

TEST_F(BadInput, HasTheRightStatusForPathsAndMethods) {
  start();
  const HttpAnswer after = call("GET", "/v1/models/default/queries?after=%ff");
  EXPECT_EQ(after.status, 400);
  EXPECT_EQ(after.code(), "bad_parameter");
  EXPECT_EQ(call("GET", "/").status, 404);
  EXPECT_EQ(call("GET", "/v1/rank").status, 405);
  EXPECT_EQ(call("DELETE", "/v1/models").status, 405);
  EXPECT_EQ(call("GET", "/v1/models/default/queries/").status, 404);
  EXPECT_EQ(call("POST", "/v1/models/m", "{}").status, 405);
  EXPECT_EQ(call("BREW", "/v1/rank").status, 405);
}

TEST_F(BadInput, IsRefusedBeforeItIsReadWhereItIsTooLarge) {
  start("--max-body 1000 --max-header 2000 --max-import 100");
  HttpClient large(address());
  large.send("POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n");
  EXPECT_EQ(large.receive().code(), "body_too_large");
  HttpClient chunked(address());
  chunked.send(
      "POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n");
  EXPECT_EQ(chunked.receive().status, 413);
  HttpClient import(address());
  import.send("POST /v1/import HTTP/1.1\r\nHost: localhost\r\nContent-Length: 101\r\n\r\n");
  EXPECT_EQ(import.receive().status, 413);
  HttpClient head(address());
  head.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(2000, 'x'));
  EXPECT_EQ(head.receive().code(), "header_too_large");
  EXPECT_EQ(call("GET", "/healthz").status, 200);
}

TEST_F(BadInput, KeepsOutConnectionsAboveTheLimit) {
  start("--max-connections 3");
  HttpClient second(address());
  HttpClient third(address());
  EXPECT_EQ(second.call("GET", "/healthz").status, 200);
  EXPECT_EQ(third.call("GET", "/healthz").status, 200);
  HttpClient fourth(address());
  EXPECT_EQ(fourth.receive().code(), "too_many_connections");
  EXPECT_EQ(second.call("GET", "/healthz").status, 200);
}

TEST_F(BadInput, ClosesConnectionsThatAreTooSlow) {
  start("--header-time 200ms --body-time 200ms --idle-time 200ms");
  HttpClient head(address());
  head.send("GET /healthz HT");
  EXPECT_EQ(head.receive().status, 408);
  HttpClient body(address());
  body.send("POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
  EXPECT_EQ(body.receive().code(), "timeout");
  HttpClient idle(address());
  EXPECT_EQ(idle.call("GET", "/healthz").status, 200);
  EXPECT_TRUE(idle.ended());
  HttpClient silent(address());
  EXPECT_TRUE(silent.ended());
}

TEST_F(BadInput, OfEveryKindIsDescribedInOpenapi) {
  start();
  const json document = get("/openapi.json");
  std::size_t operations = 0;
  for (const auto& [path, item] : document["paths"].items()) operations += item.size();
  EXPECT_EQ(operations, static_cast<std::size_t>(service::Call::kCount));
}

// A word that nobody reads is most often another one that was meant.
TEST_F(BadInput, OfTheQueryStringIsNamedForEveryCall) {
  start();
  const auto refused = [&](const std::string& method, const std::string& path,
                           const std::string& part) {
    const HttpAnswer answer = call(method, path, method == "POST" ? "{}" : "");
    EXPECT_EQ(answer.status, 400) << path << answer.body;
    EXPECT_EQ(answer.code(), "bad_parameter") << path;
    EXPECT_NE(answer.body.find(part), std::string::npos) << answer.body;
  };
  refused("POST", "/v1/import?mode=warm", "did you mean 'model'?");
  refused("POST", "/v1/import?model=a&model=b", "given twice");
  refused("POST", "/v1/import?model", "has no value");
  refused("POST", "/v1/import?model=", "has no value");
  refused("GET", "/v1/models/default/queries?limits=3", "did you mean 'limit'?");
  refused("GET", "/v1/impressions/i?mdel=default", "did you mean 'model'?");
  refused("DELETE", "/v1/impressions/i?mdel=default", "did you mean 'model'?");
  refused("POST", "/v1/rank?model=default", "there is no parameter");
  refused("POST", "/v1/feedback?model=default", "there is no parameter");
  refused("DELETE", "/v1/models/default?model=other", "there is no parameter");
  refused("GET", "/v1/export?model=default", "there is no parameter");
  EXPECT_EQ(call("GET", "/healthz?verbose=1").status, 200);
  EXPECT_EQ(call("GET", "/v1/models/default/queries?").status, 200);
  EXPECT_EQ(call("GET", "/v1/models/default").status, 200);
}

}  // namespace
}  // namespace dcmrank::testing
