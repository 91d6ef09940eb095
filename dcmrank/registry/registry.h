#pragma once

#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/policy/dcm_policy.h"
#include "dcmrank/policy/exp3_bandit.h"
#include "dcmrank/policy/kl_ucb_bandit.h"
#include "dcmrank/policy/policy.h"
#include "dcmrank/registry/spec.h"

namespace dcmrank {

/// Any policy of the library, decided at run time: one std::visit outside the hot loop, concrete
/// types inside it.
using AnyPolicy = std::variant<DcmKlUcb, DcmKlUcbPlus, DcmThompson, DcmOptimisticThompson,
                               RankedKlUcb, RankedExp3>;

/// An option of a policy, as --help shows it. `examples` are values that every problem with two
/// or more positions accepts: the generic tests run them all.
struct PolicyOption {
  std::string name;
  std::string help;
  std::vector<std::string> examples;
};

/// A policy's entry: adding one here makes it available to every command and every generic test.
struct PolicyEntry {
  std::string name;
  std::string summary;
  std::vector<PolicyOption> options;
  std::function<AnyPolicy(const PolicySpec&, const Shape&)> make;
};

std::span<const PolicyEntry> policy_registry();

/// The policy, with its options, that `recommended` stands for; options given to `recommended` come
/// before these.
const std::string& recommended_policy();

/// Throws InputError for a name, an option or a value that is not there, with the nearest that is.
AnyPolicy make_policy(const PolicySpec& spec, const Shape& shape);

/// The state of a policy as a file holds it (docs/formats.md, dcmrank.policy-state version 1).
/// load_policy makes the policy again; it throws InputError, naming the field, where it cannot.
nlohmann::ordered_json save_policy(const PolicySpec& spec, const Shape& shape,
                                   const AnyPolicy& policy);
AnyPolicy load_policy(const nlohmann::ordered_json& json);

}  // namespace dcmrank
