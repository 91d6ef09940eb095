#include "dcmrank/model_file/compact_model.h"

#include <cstring>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/fit_log.h"
#include "dcmrank/click_model/our_models_test.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/model_file/model_writer.h"
#include "dcmrank/prediction/parameters.h"
#include "dcmrank/prediction/scores.h"
#include "dcmrank/source/temporary_file_test.h"

namespace dcmrank {
namespace {

// Ten queries, one of them as seldom as others; ids are short and long.
std::string some_log() {
  std::string text;
  for (int n = 0; n < 300; ++n) {
    const int query = n % 17 % 10;
    const int turn = n % 3;
    text +=
        fmt::format("query number {}\t{},i{},a rather long id {}\t", query, turn, 5 + turn, n % 4);
    text += n % 2 == 0 ? fmt::format("i{}", 5 + turn) : "";
    text += '\n';
  }
  return text;
}

FittedModel fitted(const std::string& name, Method method, bool shared) {
  const TemporaryFile file(some_log());
  LogFit how;
  how.options.method = method;
  how.options.shared = shared;
  how.options.intervals = true;
  how.options.tolerance = 1e-3;
  return fit_log(click_model(name, "test"), open_log({file.path()}, kTsv), {1, false, {}}, how);
}

TEST(CompactModel, HoldsWhatJsonHolds) {
  for (const ClickModel* model : kOurModels) {
    for (const Method method : model->methods) {
      for (const bool shared : {false, true}) {
        const FittedModel before = fitted(model->name, method, shared);
        const std::string bytes = print_compact(before);
        const FittedModel after = parse_model(bytes, "bytes");
        EXPECT_EQ(print_model(after), print_model(before)) << model->name;
        EXPECT_LT(bytes.size(), print_model(before).size() / 2) << model->name;
      }
    }
  }
}

TEST(CompactModel, FindsOneQueryAndTheFirstOnes) {
  const FittedModel model = fitted("dcm", Method::kCount, false);
  const std::string bytes = print_compact(model);
  const CompactModel compact(bytes, "bytes");
  EXPECT_EQ(compact.queries(), model.queries.size());
  for (const FittedQuery& query : model.queries) EXPECT_EQ(compact.find(query.query), query);
  EXPECT_EQ(compact.find("query number 10"), std::nullopt);
  EXPECT_EQ(compact.find(""), std::nullopt);
  const auto first = compact.first(3);
  ASSERT_EQ(first.size(), 3U);
  for (std::size_t q = 0; q < 3; ++q) EXPECT_EQ(first[q], model.queries[q]);
  EXPECT_EQ(compact.first(1000), model.queries);
}

TEST(CompactModel, IsReadOneQueryAtATimeFromAFile) {
  const FittedModel model = fitted("sdbn", Method::kCount, false);
  const TemporaryFile file(print_compact(model));
  const FittedModel one = read_model(file.path(), "query number 3");
  ASSERT_EQ(one.queries.size(), 1U);
  EXPECT_EQ(one.queries[0], find_query(model, "query number 3", "model"));
  EXPECT_THROW(read_model(file.path(), "query number 33"), InputError);
  EXPECT_THROW(read_model(file.path(), ""), InputError);
  EXPECT_EQ(print_model(read_model(file.path())), print_model(model));
}

TEST(CompactModel, ScoresAsTheWholeModelDoes) {
  const TemporaryFile log(some_log() + "unknown\ta,b\ta\n");
  for (const char* name : {"dcm", "ubm", "sdbn"}) {
    const FittedModel model = fitted(name, click_model(name, "test").methods.front(), false);
    const TemporaryFile json(print_model(model));
    const TemporaryFile compact(print_compact(model));
    const auto scores = [&](const std::string& path) {
      const OpenModel opened(path);
      const std::vector<ModelParameters> parameters{opened.parameters()};
      return evaluate(parameters, open_log({log.path()}, kTsv), {2, false, {}}).scores.at(0);
    };
    EXPECT_EQ(scores(json.path()).perplexity_at, scores(compact.path()).perplexity_at);
    EXPECT_EQ(scores(json.path()).log_likelihood, scores(compact.path()).log_likelihood);
  }
}

TEST(CompactModel, IsRefusedWhereItIsDamaged) {
  const std::string bytes = print_compact(fitted("dcm", Method::kCount, false));
  for (std::size_t cut = 1; cut < bytes.size(); cut += 37) {
    EXPECT_THROW(parse_model(bytes.substr(0, bytes.size() - cut), "cut"), InputError) << cut;
  }
  std::size_t noticed = 0;
  for (std::size_t at = 16; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    try {
      parse_model(changed, "changed");
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find("changed: "), 0U) << error.what();
      ++noticed;
    }
  }
  EXPECT_EQ(noticed, bytes.size() - 16);
  std::string later = bytes;
  later[8] = 2;
  EXPECT_THROW(parse_model(later, "later"), InputError);
}

TEST(CompactModel, SaysThatItsIndexIsDamagedInsteadOfKnowingNoSuchQuery) {
  std::string bytes = print_compact(fitted("dcm", Method::kCount, false));
  std::uint64_t index = 0;
  std::memcpy(&index, &bytes[bytes.size() - 32], sizeof index);
  bytes[index] = static_cast<char>(bytes[index] ^ 1);
  const CompactModel compact(bytes, "bytes");
  EXPECT_THROW(compact.find("nobody's query"), InputError);
  EXPECT_THROW(compact.model(), InputError);
}

TEST(FittedInPieces, IsTheModelThatIsFittedAtOnce) {
  for (const ClickModel* model : kOurModels) {
    if (!model->fits_each_query) continue;
    const TemporaryFile file(some_log());
    const Log log = open_log({file.path()}, kTsv);
    LogFit how;
    const FittedModel pieces = fit_log(*model, log, {2, false, {}}, how);
    const LogStatistics collected = collect(log, {1, false, {}}, {});
    FittedModel whole = fit(*model, make_sample(collected.statistics, {}), how.options);
    whole.log = collected.report;
    EXPECT_EQ(print_model(pieces), print_model(whole)) << model->name;
    for (const bool compact : {false, true}) {
      std::string written;
      ModelWriter writer(compact, [&](std::string_view piece) { written += piece; });
      fit_log(*model, log, {1, false, {}}, how, writer);
      writer.finish();
      EXPECT_EQ(written, compact ? print_compact(whole) : print_model(whole));
    }
  }
}

}  // namespace
}  // namespace dcmrank
