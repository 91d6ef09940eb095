// A policy as a user names it: refused with InputError, or a policy that ranks.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dcmrank/base/error.h"
#include "dcmrank/registry/registry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    auto policy = dcmrank::make_policy(dcmrank::parse_policy_spec(text), {5, 3, 100});
    dcmrank::Rng rng(1);
    dcmrank::Ranking ranking;
    policy.rank(rng, ranking);
  } catch (const dcmrank::InputError&) {
  }
  return 0;
}
