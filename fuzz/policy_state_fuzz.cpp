// A saved policy: refused with InputError, or a policy that ranks and learns.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/registry/registry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto json = dcmrank::parse_json(text, "fuzz");
    const auto items = json.is_object() ? json.value("items", nlohmann::ordered_json()) : json;
    if (items.is_number() && items.get<double>() > 1000) return 0;  // valid, but only slow
    auto policy = dcmrank::load_policy(json);
    dcmrank::Rng rng(1);
    dcmrank::Ranking ranking;
    for (int i = 0; i < 3; ++i) {
      policy.rank(rng, ranking);
      policy.update(ranking, std::vector<std::uint8_t>(ranking.items.size(), i == 1 ? 1 : 0));
    }
  } catch (const dcmrank::InputError&) {
  }
  return 0;
}
