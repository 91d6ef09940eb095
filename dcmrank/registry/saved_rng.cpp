#include "dcmrank/registry/saved_rng.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"

namespace dcmrank {
namespace {

using Words = std::array<std::uint64_t, 4>;

}  // namespace

nlohmann::ordered_json rng_to_json(const Rng& rng) { return std::bit_cast<Words>(rng); }

Rng rng_from_json(const nlohmann::ordered_json& json) {
  const auto found = fields::whole_numbers(json, "generator", 0, UINT64_MAX);
  Words words{};
  if (found.size() != words.size()) {
    throw InputError("\"generator\" does not have four numbers");
  }
  std::copy(found.begin(), found.end(), words.begin());
  if (words == Words{}) throw InputError("\"generator\" is all zero");  // it would stay so
  return std::bit_cast<Rng>(words);
}

}  // namespace dcmrank
