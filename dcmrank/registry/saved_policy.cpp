#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/model/dcm.h"
#include "dcmrank/registry/registry.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

constexpr const char* kFormat = "dcmrank.policy-state";
constexpr int kVersion = 1;

std::uint64_t whole_number(const ordered_json& json, const char* name, std::uint64_t most) {
  const auto entry = json.find(name);
  if (entry == json.end() || !entry->is_number_unsigned() || entry->get<std::uint64_t>() > most) {
    throw InputError(
        fmt::format("policy state: \"{}\" must be a whole number up to {}", name, most));
  }
  return entry->get<std::uint64_t>();
}

Shape shape_from_json(const ordered_json& json) {
  Shape shape{whole_number(json, "items", kMaxItems), whole_number(json, "positions", kMaxItems),
              whole_number(json, "horizon", UINT64_MAX)};
  if (shape.positions == 0 || shape.positions > shape.items) {
    throw InputError("policy state: \"positions\" must be from 1 to \"items\"");
  }
  return shape;
}

}  // namespace

ordered_json save_policy(const PolicySpec& spec, const Shape& shape, const AnyPolicy& policy) {
  ordered_json state;
  try {
    state = policy.save();
  } catch (const InputError& error) {
    throw InputError(fmt::format("policy {}: {}", quote(spec.text), error.what()));
  }
  return {{"format", kFormat},        {"version", kVersion},          {"policy", spec.text},
          {"items", shape.items},     {"positions", shape.positions}, {"horizon", shape.horizon},
          {"state", std::move(state)}};
}

AnyPolicy load_policy(const ordered_json& json) {
  if (!json.is_object() || json.value("format", ordered_json()) != kFormat) {
    throw InputError(fmt::format("policy state: \"format\" is not \"{}\"", kFormat));
  }
  if (json.value("version", ordered_json()) != kVersion) {
    throw InputError(fmt::format("policy state: \"version\" is not {}", kVersion));
  }
  const auto name = json.find("policy");
  if (name == json.end() || !name->is_string() || !json.contains("state")) {
    throw InputError("policy state: \"policy\" or \"state\" is missing");
  }
  AnyPolicy policy =
      make_policy(parse_policy_spec(name->get<std::string>()), shape_from_json(json));
  policy.load(json.at("state"));
  return policy;
}

}  // namespace dcmrank
