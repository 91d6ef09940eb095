#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/model/dcm.h"
#include "dcmrank/registry/any_policy.h"
#include "dcmrank/registry/spec.h"

namespace dcmrank {

/// What a policy is made for: the size, and in a simulation what only it knows, from which options
/// may take what papers assume known (order=problem, terminations=problem, examination=problem).
struct PolicyCase {
  PolicyCase(const Shape& size, const Dcm* truth = nullptr) : shape(size), problem(truth) {}
  Shape shape;
  const Dcm* problem;                        // where users follow a DCM
  std::span<const std::size_t> order = {};   // of positions, from the one for the best item on
  std::span<const double> examination = {};  // of the positions of the best list
};

/// An option of a policy, as --help shows it. `examples` are values that every problem with two
/// or more positions accepts: the generic tests run them all.
struct PolicyOption {
  std::string name;
  std::string help;
  std::vector<std::string> examples;
};

/// A policy by its name. `make` throws InputError for options that are wrong (option_values.h reads
/// them); only options of the entry reach it.
struct PolicyEntry {
  std::string name;
  std::string summary;
  std::vector<PolicyOption> options;
  std::function<AnyPolicy(const PolicySpec&, const PolicyCase&)> make;
};

/// All policies: the built-in ones, then those that were added.
std::span<const PolicyEntry> policy_registry();

/// Their names, `recommended` among them: what users may type.
std::vector<std::string> policy_names();

/// Makes your own policy known to every command and every function below. Call it before any of
/// them, from one thread. Throws InputError if the name is taken or cannot be typed.
void add_policy(PolicyEntry entry);

/// The same for a class that is made from a Shape and has no options.
template <class P>
void add_policy(std::string name, std::string summary) {
  static_assert(std::constructible_from<P, const Shape&>,
                "a policy without options is made from a `const Shape&`");
  if constexpr (check_policy<P>()) {
    add_policy(
        {std::move(name), std::move(summary), {}, [](const PolicySpec&, const PolicyCase& c) {
           return AnyPolicy(P(c.shape));
         }});
  }
}

/// The policy, with its options, that `recommended` stands for; options given to `recommended`
/// override these.
const std::string& recommended_policy();

/// What `recommended` stands for in the service, which needs a policy over items that come and go.
const std::string& served_policy();

/// The policy that a text stands for, with its options: `recommended` is replaced by what it stands
/// for, under the text that was typed.
PolicySpec resolved(const PolicySpec& spec);

/// Throws InputError for an unknown name, with the nearest known one.
const PolicyEntry& find_entry(const std::string& name);

/// Whether the policy has this option, `recommended` those of what it stands for.
bool takes_option(const PolicySpec& spec, std::string_view option);

/// Whether order=problem would tell it the order of positions, which nothing tells it yet.
bool could_be_told_order(const PolicySpec& spec);

/// Throws InputError for an unknown name, option or value, with the nearest known one.
AnyPolicy make_policy(const PolicySpec& spec, const PolicyCase& policy_case);
inline AnyPolicy make_policy(const PolicySpec& spec, const Shape& shape) {
  return make_policy(spec, PolicyCase{shape});
}

/// Whether it can do that over items that come and go, which is what the service offers.
bool is_served(const PolicyEntry& entry);

/// The same over items that come and go; throws InputError if the policy cannot do that.
AnyOpenPolicy make_open_policy(const PolicySpec& spec, const Shape& shape);

/// The state of a policy as a file holds it (docs/formats.md, dcmrank.policy-state version 1).
/// load_policy makes the policy again; it throws InputError, naming the field, if it cannot.
nlohmann::ordered_json save_policy(const PolicySpec& spec, const Shape& shape,
                                   const AnyPolicy& policy);
AnyPolicy load_policy(const nlohmann::ordered_json& json);

}  // namespace dcmrank
