// The body of a ranking request: refused with ApiError, or a request that can be ranked.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dcmrank/registry/registry.h"
#include "dcmrank/service/bodies.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dcmrank::service;
  static BodyParser parser{Limits()};
  try {
    const RankRequest& request =
        parser.rank(std::string_view(reinterpret_cast<const char*>(data), size));
    if (request.items.empty() || request.query.empty()) __builtin_trap();
    const std::size_t k = request.k.value_or(1);
    if (k > request.items.size() || request.items.size() > 200) return 0;
    dcmrank::Rng rng(1);
    dcmrank::Ranking ranking;
    Learner learner(dcmrank::parse_policy_spec(dcmrank::served_policy()), k);
    learner.take(QueryState(), request.items, {}, 1);
    learner.rank(rng, ranking);
    if (ranking.items.size() != k) __builtin_trap();
  } catch (const ApiError&) {
  }
  return 0;
}
