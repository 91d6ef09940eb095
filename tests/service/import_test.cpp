// What an import may say, and what it is refused for.
#include "key_hash.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Import : public ServiceTest {
 protected:
  static constexpr const char* kHead = "{\"format\":\"dcmrank.service-state\",\"version\":1}\n";
  // In whole numbers, as people count.
  static std::string row(const std::vector<double>& numbers) {
    json out = json::array();
    for (const double n : numbers) out.push_back(static_cast<std::int64_t>(n * 0x1p32));
    return out.dump();
  }
  static std::string query_line(const std::string& model, double rounds, const std::string& item,
                                const std::string& positions = "[]") {
    return "{\"model\":\"" + model +
           "\",\"query\":\"q\",\"rounds\":" + std::to_string(static_cast<std::int64_t>(rounds)) +
           ",\"positions\":" + positions + ",\"items\":{\"a\":" + item + "}}\n";
  }
  HttpAnswer import(const std::string& lines) { return call("POST", "/v1/import", kHead + lines); }
  void expect_refused(const std::string& line, const std::string& what) {
    const HttpAnswer answer = import("\n" + line);
    EXPECT_EQ(answer.status, 400) << line << answer.body;
    EXPECT_EQ(answer.code(), "bad_import");
    EXPECT_NE(answer.body.find("line 3: "), std::string::npos) << answer.body;
    EXPECT_NE(answer.body.find(what), std::string::npos) << answer.body;
  }
};

TEST_F(Import, OfImpossibleSumsIsRefused) {
  start();
  put("/v1/models/dcm", {{"policy", "dcm-ts"}});
  put("/v1/models/kl", {{"policy", "ranked-kl-ucb"}});
  put("/v1/models/exp3", {{"policy", "ranked-exp3"}});
  const std::string none = row({0});
  for (const char* model : {"default", "dcm", "kl"}) {
    expect_refused(query_line(model, 5, row({3, 4})), "clicks are above looks");
    expect_refused(query_line(model, 5, row({6, 1})), "looks are above rounds");
    expect_refused(query_line(model, 5, row({3, -1})), "clicks are below 0");
    expect_refused(query_line(model, 5, row({-3, 0})), "looks are below 0");
    expect_refused(query_line(model, 0, row({1, 0})), "looks are above rounds");
  }
  expect_refused(query_line("default", 5, row({3, 1, 3, 0})), "looks are above rounds");
  expect_refused(query_line("default", 5, none, "[" + row({1}) + "]"), "position 1");
  expect_refused(query_line("dcm", 5, row({0, 0, 6})), "in doubt");
  expect_refused(query_line("dcm", 5, row({0, 0, 1, 9})), "weights");
  expect_refused(query_line("dcm", 5, row({0, 0, 0, 0, 0, 1})), "more than 5 numbers");
  expect_refused(query_line("dcm", 5, none, "[[]," + row({6, 1}) + "]"), "position 2: clicks");
  expect_refused(query_line("dcm", 5, none, "[" + row({3, 4}) + "]"), "terminations are above");
  expect_refused(query_line("dcm", 5, none, "[" + row({3, -1}) + "]"), "terminations are below");
  expect_refused(query_line("exp3", 5, row({-1})), "gains are below 0");
  expect_refused(query_line("exp3", 5, row({6})), "gains are above rounds");
  expect_refused(query_line("default", -1, none), "rounds must be");
  EXPECT_EQ(get("/v1/models/default/queries")["queries"].size(), 0U);
  for (const char* model : {"default", "dcm", "kl"}) {
    EXPECT_EQ(import(query_line(model, 5, row({5, 5}))).status, 200);
  }
  EXPECT_EQ(query("q")["items"][0]["observed"], 5);
}

TEST_F(Import, NamesTheLineOfAModelAtFault) {
  start();
  put("/v1/models/dcm", {{"policy", "dcm-ts"}});
  const HttpAnswer unknown = import("\n" + query_line("nope", 1, row({1})));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.code(), "unknown_model");
  EXPECT_NE(unknown.body.find("line 3: "), std::string::npos) << unknown.body;
  const std::string rest = R"(,"k":1,"close_after":"1m","mode":"online"})";
  const HttpAnswer policy = import("{\"model\":\"m\",\"policy\":\"zz\"" + rest);
  EXPECT_EQ(policy.code(), "bad_import");
  EXPECT_NE(policy.body.find("line 2: "), std::string::npos) << policy.body;
  const HttpAnswer other = import("{\"model\":\"dcm\",\"policy\":\"ubm-ts\"" + rest);
  EXPECT_EQ(other.code(), "other_counts");
  EXPECT_NE(other.body.find("line 2: "), std::string::npos) << other.body;
}

// What PUT refuses: a policy for very long lists takes much time and memory.
TEST_F(Import, OfAModelHasTheLimitOfAPut) {
  start("--max-items 50");
  const std::string model = R"({"model":"m","policy":"recommended")";
  const std::string rest = R"(,"close_after":"1m","mode":"online"})";
  for (const char* k : {"51", "10000", "9223372036854775807"}) {
    const HttpAnswer imported = import(model + ",\"k\":" + k + rest);
    EXPECT_EQ(imported.status, 400) << k;
    EXPECT_EQ(imported.code(), "bad_import");
    const HttpAnswer put = call("PUT", "/v1/models/m", std::string("{\"k\":") + k + "}");
    EXPECT_EQ(put.status, 400) << k;
  }
  const HttpAnswer refused = import(model + R"(,"k":51)" + rest);
  EXPECT_NE(refused.body.find("line 2: k is 51; at most 50 are allowed"), std::string::npos)
      << refused.body;
  EXPECT_EQ(import(model + R"(,"k":50)" + rest).status, 200);
}

// Whatever came together, what is written can be read.
TEST_F(Import, TakesWhateverAnExportSays) {
  start();
  const double most = 0x1p44;
  const auto line = [&](double rounds) { return query_line("default", rounds, row({7, 3})); };
  ASSERT_EQ(import(line(most - 10)).status, 200);
  expect_refused(line(11), "above 17592186044416");
  ASSERT_EQ(import(line(9)).status, 200);
  learn("q");
  EXPECT_EQ(query("q")["rounds"], most);
  const json full = counted(query("q"));
  learn("q");  // there is no room for what it says
  EXPECT_EQ(counted(query("q")), full);
  const std::string exported = call("GET", "/v1/export").body;
  expect_verified();
  stop();
  forget_all();
  start();
  const HttpAnswer again = call("POST", "/v1/import", exported);
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(call("GET", "/v1/export").body, exported);
}

TEST_F(Import, StartsWarmFromAFittedUbmOrPbm) {
  start();
  put("/v1/models/dcm", {{"policy", "dcm-ts"}});
  std::string log;
  for (int n = 0; n < 30; ++n) log += "shoes\ta,b,c\tb\nshoes\tb,a,c\tb,c\nshoes\tc,b,a\t\n";
  write(folder() / "log.tsv", log);
  for (const std::string model : {"ubm", "pbm"}) {
    ASSERT_EQ(dcmrank("fit --format tsv log.tsv --method em --model " + model + " --out model.json")
                  .status,
              0);
    const json fitted = json::parse(read(folder() / "model.json"));
    call("DELETE", "/v1/models/default/queries/shoes");
    const HttpAnswer answer = call("POST", "/v1/import", fitted.dump());
    ASSERT_EQ(answer.status, 200) << answer.body;
    const json learned = query("shoes");
    EXPECT_EQ(learned["rounds"], 90);
    EXPECT_EQ(learned["items"][1]["id"], "b");
    EXPECT_EQ(learned["items"][1]["attracted"], 60);
    EXPECT_GE(learned["items"][1]["observed"], 60);
    EXPECT_LE(learned["items"][1]["observed"], 90);
    ASSERT_EQ(call("POST", "/v1/import?model=dcm", fitted.dump()).status, 200);
    EXPECT_EQ(query("shoes", "dcm")["items"][1]["attracted"].get<double>() > 59, true);
  }
  expect_verified();
}

// Of lists in one order nobody can tell an item from its position: that is said, and not learned.
TEST_F(Import, OfAFittedModelLeavesOutWhatItsLogDidNotTell) {
  start();
  std::string log;
  for (int n = 0; n < 30; ++n) log += "shoes\ta,b,c\ta\nshoes\ta,b,c\tb\nshoes\ta,b,c\tc\n";
  write(folder() / "log.tsv", log);
  const auto import_of = [&](const std::string& model) {
    EXPECT_EQ(
        dcmrank("fit --format tsv log.tsv --method em --out model.json --model " + model).status,
        0);
    const HttpAnswer answer = call("POST", "/v1/import", read(folder() / "model.json"));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json()["unidentified"];
  };
  for (const char* model : {"ubm", "pbm"}) {
    call("DELETE", "/v1/models/default/queries/shoes");
    EXPECT_EQ(import_of(model), 2) << model;
    const json learned = query("shoes");
    EXPECT_EQ(learned["rounds"], 90);
    ASSERT_EQ(learned["items"].size(), 1U) << learned;
    EXPECT_EQ(learned["items"][0]["id"], "a");
  }
  EXPECT_EQ(import_of("dcm"), 0);
  EXPECT_EQ(query("shoes")["items"].size(), 3U);
  EXPECT_FALSE(
      call("POST", "/v1/import", call("GET", "/v1/export").body).json().contains("unidentified"));
  expect_verified();
}

TEST_F(Import, OfAKeyForOneModelReachesNoOther) {
  write(folder() / "keys", key_line("root", "admin *") + key_line("ann", "admin ann"));
  start("--keys keys");
  EXPECT_EQ(call("PUT", "/v1/models/ann", "{}", bearer("ann")).status, 200);
  write(folder() / "log.tsv", "shoes\ta,b,c\tb\n");
  ASSERT_EQ(dcmrank("fit --format tsv log.tsv --out model.json").status, 0);
  const std::string fitted = read(folder() / "model.json");
  const HttpAnswer own = call("POST", "/v1/import", fitted, bearer("ann"));  // its only model
  EXPECT_EQ(own.status, 200) << own.body;
  EXPECT_EQ(call("POST", "/v1/import?model=ann", fitted, bearer("ann")).status, 200);
  const HttpAnswer learned = call("GET", "/v1/models/ann/queries/shoes", "", bearer("ann"));
  EXPECT_EQ(learned.json()["rounds"], 2);
  EXPECT_EQ(call("POST", "/v1/import?model=default", fitted, bearer("ann")).code(), "wrong_model");
  const std::string state = call("GET", "/v1/export", "", bearer("root")).body;
  EXPECT_EQ(call("POST", "/v1/import", state, bearer("ann")).code(), "wrong_model");
  EXPECT_EQ(call("GET", "/v1/models/default/queries", "", bearer("root")).json()["queries"].size(),
            0U);
}

// As where a new service has a model `default` by itself.
TEST_F(Import, SaysWhatHelpsWhereAnEmptyModelHasAnotherPolicy) {
  start();
  put("/v1/models/default", {{"policy", "dcm-ts"}});
  page("q", {"a", "b"}, {"a"});
  const std::string all = exported();
  stop();
  forget_all();
  start();
  HttpAnswer answer = call("POST", "/v1/import", all);
  EXPECT_EQ(answer.status, 409);
  EXPECT_NE(answer.body.find("a PUT may give it the policy"), std::string::npos) << answer.body;
  put("/v1/models/default", {{"policy", "dcm-ts"}});
  EXPECT_EQ(call("POST", "/v1/import", all).status, 200);
  EXPECT_EQ(query("q")["rounds"], 1);
  EXPECT_EQ(call("DELETE", "/v1/models/default").status, 200);
  put("/v1/models/default", {{"policy", "ubm-ts"}});
  page("q", {"a", "b"}, {"a"});
  answer = call("POST", "/v1/import", all);
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.body.find("PUT"), std::string::npos) << answer.body;
}

TEST_F(Import, SaysIntoWhichModels) {
  start();
  put("/v1/models/warm", json::object());
  write(folder() / "log.tsv", "shoes\ta,b,c\tb\n");
  ASSERT_EQ(dcmrank("fit --format tsv log.tsv --out model.json").status, 0);
  const std::string fitted = read(folder() / "model.json");
  EXPECT_EQ(call("POST", "/v1/import?model=warm", fitted).json(),
            (json{{"imported", 1}, {"models", {"warm"}}, {"unidentified", 0}}));
  EXPECT_EQ(call("POST", "/v1/import", fitted).json(),
            (json{{"imported", 1}, {"models", {"default"}}, {"unidentified", 0}}));
  const std::string state = call("GET", "/v1/export").body;
  EXPECT_EQ(call("POST", "/v1/import", state).json(),
            (json{{"imported", 2}, {"models", {"default", "warm"}}}));
  // An export says itself what belongs to which model.
  const HttpAnswer named = call("POST", "/v1/import?model=warm", state);
  EXPECT_EQ(named.status, 400) << named.body;
  EXPECT_EQ(named.code(), "bad_parameter");
}

TEST_F(Import, OfAFittedModelIsHeldToTheSame) {
  start("--max-id 100");
  write(folder() / "log.tsv", "shoes\ta,b,c\tb\n");
  ASSERT_EQ(dcmrank("fit --format tsv log.tsv --out model.json").status, 0);
  const auto import_with = [&](const char* name, const json& value) {
    json model = json::parse(read(folder() / "model.json"));
    model["queries"][0]["items"][1][name] = value;
    return call("POST", "/v1/import", model.dump());
  };
  const auto refused = [&](const char* name, const json& value, const std::string& what) {
    const HttpAnswer answer = import_with(name, value);
    EXPECT_EQ(answer.code(), "bad_import") << name << answer.body;
    EXPECT_NE(answer.body.find("shoes"), std::string::npos) << answer.body;
    EXPECT_NE(answer.body.find(what), std::string::npos) << answer.body;
  };
  const HttpAnswer no_model = import_with("clicked", 3);  // which no fit writes
  EXPECT_EQ(no_model.status, 400);
  EXPECT_NE(no_model.body.find("above \\\"shown\\\""), std::string::npos) << no_model.body;
  refused("shown", 7, "looks are above rounds");
  refused("shown", 1e10, "must be below");
  refused("item", std::string(200, 'x'), "1 to 100 bytes");
}

}  // namespace
}  // namespace dcmrank::testing
