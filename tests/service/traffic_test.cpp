// Simulated users against the real program, and the checker that holds it to what they did.
#include "dcmrank/traffic/traffic.h"

#include <thread>

#include "dcmrank/base/error.h"
#include "dcmrank/traffic/plan.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

using std::chrono::milliseconds;

constexpr const char* kProblem = "--problem lb:L=12,K=4,p=0.3,gap=0.2,gamma=0.5";
constexpr const char* kFaults =
    "--duplicates 0.2 --reordered 0.3 --abandoned 0.3 --late 0.3 --late-after 300ms "
    "--close-after 600ms --delay 20ms";

class Traffic : public ServiceTest {
 protected:
  std::string words(const std::string& options) {
    return "traffic --url http://" + address() + " " + options;
  }
  Outcome traffic(const std::string& options) { return dcmrank(words(options)); }
};

TEST_F(Traffic, GoesOverAUnixSocket) {
  Server server(folder(), place(), {}, "unix:here.sock");
  ASSERT_EQ(server.address(), "unix:here.sock");
  const Outcome good = dcmrank(
      "traffic --url unix:here.sock --problem lb:L=8,K=2,p=0.3,gap=0.2,gamma=0.5 --rate 50 "
      "--duration 300ms");
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  const Outcome nobody = dcmrank(
      "traffic --url unix:none.sock --problem lb:L=8,K=2,p=0.3,gap=0.2,gamma=0.5 --patience 1ms");
  EXPECT_EQ(nobody.status, 1);
  EXPECT_NE(nobody.err.find("nothing listens on unix:none.sock"), std::string::npos) << nobody.err;
  EXPECT_EQ(dcmrank("traffic --url unix: --problem lb:L=8,K=2,p=0.3,gap=0.2,gamma=0.5").status, 2);
}

TEST_F(Traffic, AgreesWithTheServiceWhateverGoesWrongOnTheWay) {
  start();
  const Outcome outcome =
      traffic(std::string(kProblem) + " " + kFaults + " --rate 300 --duration 2s --json out.json");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("0 disagreements"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("every number, recounted here"), std::string::npos) << outcome.out;
  const json result = json::parse(read(folder() / "out.json"));
  EXPECT_GT(result["pages"], 100);
  EXPECT_GT(result["abandoned"], 10);
  EXPECT_GT(result["events"]["duplicate"], 10);
  EXPECT_EQ(result["lost"], 0);
  EXPECT_EQ(result["disagreements"], 0);
  EXPECT_EQ(result["events_of_others"], 0);
  EXPECT_GT(metric("dcmrank_corrections_total"), 10);  // the late clicks
  EXPECT_EQ(metric("dcmrank_events_total{status=\"accepted\"}"), result["events"]["accepted"]);
  expect_verified();
}

TEST_F(Traffic, RecountsWhatPoliciesOfThePaperLearn) {
  start();
  for (const std::string policy :
       {"dcm-kl-ucb", "dcm-ts:counting=prefix", "first-click", "last-click", "ranked-kl-ucb"}) {
    const Outcome outcome =
        traffic(std::string(kProblem) + " " + kFaults + " --rate 200 --duration 500ms --name " +
                policy + " --policy " + policy);
    EXPECT_EQ(outcome.status, 0) << policy << "\n" << outcome.out << outcome.err;
    const bool sums = policy != "ranked-kl-ucb";
    EXPECT_EQ(outcome.out.find("recounted here") != std::string::npos, sums) << outcome.out;
  }
}

TEST_F(Traffic, VisitsAllQueriesOfAFittedModel) {
  start();
  ASSERT_EQ(
      dcmrank(std::string("generate --impressions 2000 --out log.tsv --format tsv ") + kProblem)
          .status,
      0);
  ASSERT_EQ(dcmrank("fit --format tsv log.tsv --out model.json").status, 0);
  const Outcome outcome =
      traffic("--model model.json --rate 200 --duration 500ms --close-after 500ms");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

TEST_F(Traffic, VisitsOnlyWhatWasShownOftenWhereMinShownAsksForIt) {
  start();
  write(folder() / "m.json", R"({"model":"dcm","method":"em","positions":2,"queries":[
      {"query":"q","impressions":100,"termination":[0.5,0.4],"items":[
        {"item":"a","attraction":0.5,"impressions":100},
        {"item":"b","attraction":0.2,"impressions":60},
        {"item":"c","attraction":0.6,"impressions":1}]},
      {"query":"r","impressions":90,"termination":[0.5,0.4],"items":[
        {"item":"x","attraction":0.5,"impressions":100},
        {"item":"y","attraction":0.3,"impressions":1}]}]})");
  const Outcome outcome =
      traffic("--model m.json --min-shown 20 --rate 200 --duration 300ms --close-after 300ms");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.err.find("1 of 3 items, shown fewer than 20 times"), std::string::npos)
      << outcome.err;
  const json queries = call("GET", "/v1/models/traffic/queries").json()["queries"];
  ASSERT_EQ(queries.size(), 1U) << queries;
  const std::string query = queries[0]["query"];
  EXPECT_TRUE(query.ends_with("/q")) << query;
  std::string address = "/v1/models/traffic/queries/";
  for (const char c : query) address += c == '/' ? "%2F" : std::string(1, c);
  const std::string items = call("GET", address).body;
  EXPECT_NE(items.find("\"b\""), std::string::npos) << items;
  EXPECT_EQ(items.find("\"c\""), std::string::npos) << items;
}

// Somebody else reports a click of one of its pages: the checker must see it.
TEST_F(Traffic, DisagreesWhereAnEventWasPostedBehindItsBack) {
  start();
  Process process = running(words(std::string(kProblem) +
                                  " --rate 100 --duration 1500ms --close-after 1s --abandoned 0.5 "
                                  "--json out.json"));
  bool posted = false;
  for (int n = 0; n < 200 && !posted; ++n) {
    std::this_thread::sleep_for(milliseconds(10));
    const std::string lines = call("GET", "/v1/models/traffic/queries").body;
    if (lines.find("traffic-") == std::string::npos) continue;
    const std::string query = json::parse(lines)["queries"][0]["query"];
    const std::string page = query.substr(0, query.find('/')) + "-1";
    const HttpAnswer impression = call("GET", "/v1/impressions/" + page + "?model=traffic");
    if (impression.status != 200) continue;
    const json shown = impression.json();
    for (const json& item : shown["items"]) {
      const auto& clicks = shown["clicks"];
      if (std::find(clicks.begin(), clicks.end(), item) == clicks.end()) {
        json event = click(page, item);
        event["model"] = "traffic";
        posted = report(event) == "accepted";
        break;
      }
    }
  }
  ASSERT_TRUE(posted);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_NE(outcome.err.find("disagree"), std::string::npos) << outcome.err;
  const json result = json::parse(read(folder() / "out.json"));
  EXPECT_GE(result["disagreements"], 1);
  EXPECT_EQ(result["events_of_others"], 1);
}

// A page of somebody else for its query: all of its own pages are as they should be, the sum is
// not.
TEST_F(Traffic, DisagreesWhereAPageTaughtBehindItsBack) {
  start();
  Process process =
      running(words(std::string(kProblem) + " --rate 100 --duration 1s --close-after 500ms"));
  std::string query;
  ASSERT_TRUE(eventually([&] {
    const HttpAnswer answer = call("GET", "/v1/models/traffic/queries");
    if (answer.status != 200 || answer.json()["queries"].empty()) return false;
    query = answer.json()["queries"][0]["query"];
    return true;
  }));
  report(close(rank({{"query", query}, {"items", {"1", "2"}}, {"model", "traffic"}})));
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_NE(outcome.out.find("rounds is"), std::string::npos) << outcome.out;
}

TEST_F(Traffic, SaysWhatIsWrongWithItsOptions) {
  start();
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "--problem and --model"},
      {"--problem lb:L=4,K=2,p=0.3,gap=0.2,gamma=0.5 --late 2", "--late is '2'"},
      {"--problem lb:L=4,K=2,p=0.3,gap=0.2,gamma=0.5 --rate 0", "--rate is '0'"},
      {"--problem lb:L=4,K=2,p=0.3,gap=0.2,gamma=0.5 --duration 5", "--duration is '5'"}};
  for (const auto& [options, part] : wrong) {
    const Outcome outcome = traffic(options);
    EXPECT_EQ(outcome.status, 2) << options;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  }
  const Outcome refused = traffic(std::string(kProblem) + " --policy nonsense");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("status 400"), std::string::npos) << refused.err;
}

// One client cannot ask for ten thousand pages in a tenth of a second.
TEST_F(Traffic, SaysHowManyPagesWereDueAndNeverSent) {
  start();
  const Outcome outcome = traffic(std::string(kProblem) +
                                  " --rate 1000000 --duration 100ms --connections 1 --delay 1ms "
                                  "--json out.json");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const json result = json::parse(read(folder() / "out.json"));
  EXPECT_GT(result["unsent"], 0);
  EXPECT_EQ(result["pages"].get<int>() + result["unsent"].get<int>(), 100'000);
  EXPECT_NE(outcome.out.find("never sent: all clients (1) were waiting for answers, up to "),
            std::string::npos)
      << outcome.out;
}

// Late clicks come long after the pages: rates are by the time that it took.
TEST_F(Traffic, DividesByTheTimeThatItTook) {
  start();
  const Outcome outcome = traffic(std::string(kProblem) +
                                  " --rate 200 --duration 100ms --late 1 --late-after 700ms "
                                  "--json out.json");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const json result = json::parse(read(folder() / "out.json"));
  EXPECT_GE(result["seconds"], .1);
  EXPECT_GE(result["calls"]["feedback"]["seconds"], .7);
  EXPECT_EQ(result["pages"].get<int>() + result["unsent"].get<int>(), 20);
}

// Of what it asks for at the end, too, many more calls than the service allows at once.
TEST_F(Traffic, WaitsForItsTurnWhereItAsksForTooMuch) {
  start("--rate 50");
  const Outcome outcome =
      traffic(std::string(kProblem) + " --rate 100 --duration 1s --patience 500ms --json out.json");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const json result = json::parse(read(folder() / "out.json"));
  EXPECT_GT(result["statuses"]["429"], 0);
  EXPECT_EQ(result["disagreements"], 0);
}

TEST_F(Traffic, SaysWhatIsMeantByModelWhereThereIsAProblem) {
  start();
  const Outcome outcome = traffic(std::string(kProblem) + " --model shop");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "dcmrank: --problem and --model exclude each other: each says who the users are; the "
            "service's model is named by --name\n");
}

TEST_F(Traffic, SaysThatNobodyListens) {
  start();
  const std::string line = words(std::string(kProblem) + " --patience 100ms");
  stop();
  const Outcome outcome = dcmrank(line);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("nothing listens"), std::string::npos) << outcome.err;
}

TEST(TrafficParts, ReadsAddresses) {
  EXPECT_EQ(traffic::parse_url("http://127.0.0.1:8080").port, 8080);
  EXPECT_EQ(traffic::parse_url("http://[::1]:81/").host, "::1");
  EXPECT_EQ(traffic::parse_url("http://[::1]:81/").authority(), "[::1]:81");
  EXPECT_EQ(traffic::parse_url("http://localhost").port, 80);
  EXPECT_FALSE(traffic::parse_url("http://localhost").tls);
  EXPECT_TRUE(traffic::parse_url("https://localhost:1").tls);
  EXPECT_EQ(traffic::parse_url("https://[::1]").port, 443);
  for (const std::string wrong : {"", "127.0.0.1:80", "ftp://a:1", "https://", "http://",
                                  "http://a:0", "http://a:99999", "http://a/b", "http://a:x"}) {
    EXPECT_THROW(traffic::parse_url(wrong), InputError) << wrong;
  }
}

TEST(TrafficParts, PlansWhatGoesWrong) {
  traffic::TrafficOptions options;
  Rng rng(7);
  const std::vector<std::uint8_t> clicks{0, 1, 0, 1};
  const auto plan = [&] { return traffic::plan_events(clicks, options, rng); };
  const auto well = plan();
  ASSERT_EQ(well.size(), 3U);
  EXPECT_EQ(well[0].event, 1U);
  EXPECT_EQ(well[1].event, 3U);
  EXPECT_EQ(well[2].event, clicks.size());  // the close, last
  EXPECT_LE(well[0].after, well[1].after);
  EXPECT_LE(well[1].after, well[2].after);
  options.faults = {.duplicates = 1};
  EXPECT_EQ(plan().size(), 6U);
  options.faults = {.abandoned = 1};
  EXPECT_EQ(plan().size(), 2U);
  options.faults = {.late = 1};
  const auto late = plan();
  EXPECT_EQ(late[1].after, late[2].after + options.late_after);
  options.faults = {.abandoned = 1, .late = 1};
  EXPECT_GE(plan()[1].after, options.close_after + options.late_after);
  options.faults = {.reordered = 1};
  bool close_first = false;
  for (int n = 0; n < 100; ++n) {
    const auto events = plan();
    close_first = close_first || events[2].after < events[0].after;
  }
  EXPECT_TRUE(close_first);
}

TEST(TrafficParts, MeasuresLatencies) {
  traffic::Latencies times;
  for (int n = 1; n <= 1000; ++n) times.add(std::chrono::microseconds(n * 10));
  EXPECT_NEAR(times.quantile(.5), 5, .3);
  EXPECT_NEAR(times.quantile(.99), 9.9, .6);
  EXPECT_EQ(times.count(), 1000U);
  EXPECT_EQ(times.longest(), 10);  // and no edge of a bucket
  EXPECT_EQ(times.quantile(1), 10);
  traffic::Latencies all;
  all.merge(times);
  EXPECT_EQ(all.longest(), 10);
}

}  // namespace
}  // namespace dcmrank::testing
