#include "generated_log.h"

#include <fstream>
#include <string>

#include <fmt/format.h>

#include "dcmrank/log/format.h"
#include "dcmrank/prediction/generate.h"

namespace dcmrank::bench {
namespace {

FittedModel make_model() {
  FittedModel model;
  model.model = "dcm";
  model.positions = 10;
  for (int k = 0; k < 10; ++k) model.lists["termination"].values.push_back(0.5 - 0.04 * k);
  Rng rng(1);
  for (int q = 1; q <= 1000; ++q) {
    FittedQuery query{fmt::format("{}", 1000 + rng.below(10'000'000)), 1e6 / q, {}, {}};
    for (int i = 0; i < 30; ++i) {
      query.items.push_back({fmt::format("{}", 1'000'000 + rng.below(100'000'000)),
                             0.02 + 0.48 * rng.uniform(),
                             0,
                             0,
                             0,
                             {}});
    }
    model.queries.push_back(std::move(query));
  }
  return model;
}

}  // namespace

void write_log(const std::filesystem::path& file, std::uint64_t bytes) {
  const FittedModel model = make_model();
  LogGenerator generator(model, RankingKind::kRandom, Rng(2));
  std::ofstream out(file, std::ios::binary);
  std::string text;
  std::uint64_t written = 0;
  for (std::uint64_t session = 0; written < bytes; ++session) {
    kYandex2011.write(generator.next(), session, text);
    if (text.size() < (1U << 20U)) continue;
    out << text;
    written += text.size();
    text.clear();
  }
}

}  // namespace dcmrank::bench
