#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/json_format.h"
#include "dcmrank/base/text.h"
#include "dcmrank/model/dcm.h"
#include "dcmrank/registry/registry.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

constexpr const char* kFormat = "dcmrank.policy-state";
constexpr int kVersion = 1;

Shape shape_from_json(const ordered_json& json) {
  const Shape shape{fields::whole_number(json, "items", 1, kMaxItems),
                    fields::whole_number(json, "positions", 1, kMaxItems),
                    fields::whole_number(json, "horizon", 0, UINT64_MAX)};
  if (shape.positions > shape.items) throw InputError("\"positions\" is more than \"items\"");
  return shape;
}

AnyPolicy policy_from_json(const ordered_json& json) {
  check_format(json, kFormat, kVersion);
  AnyPolicy policy =
      make_policy(parse_policy_spec(fields::string(json, "policy")), shape_from_json(json));
  policy.load(fields::member(json, "state"));
  return policy;
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
  try {
    return policy_from_json(json);
  } catch (const InputError& error) {
    throw InputError(fmt::format("policy state: {}", error.what()));
  }
}

}  // namespace dcmrank
