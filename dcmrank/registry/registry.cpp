#include "dcmrank/registry/registry.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/registry/dcm_entries.h"
#include "dcmrank/registry/option_values.h"

namespace dcmrank {
namespace {

const PolicyOption kDuplicates{"duplicates",
                               "skip: a position takes its best item not placed above (default); "
                               "random: a duplicate is replaced at random and scored 0 (Radlinski)",
                               {"skip", "random"}};

template <class Ranked>
PolicyEntry ranked_entry(std::string name, std::string summary) {
  const auto make = [](const PolicySpec& spec, const Shape& shape) -> AnyPolicy {
    const Choices<Duplicates> rules{{"skip", Duplicates::kSkip}, {"random", Duplicates::kRandom}};
    return Ranked(shape, choice(spec, "duplicates", rules, Duplicates::kSkip));
  };
  return {std::move(name), std::move(summary), {kDuplicates}, make};
}

// The user's options of `recommended` come before its own.
PolicySpec resolved(const PolicySpec& spec) {
  if (spec.name != "recommended") return spec;
  PolicySpec full = parse_policy_spec(recommended_policy());
  full.text = spec.text;
  for (const auto& [option, value] : spec.options) full.options[option] = value;
  return full;
}

const PolicyEntry& find_entry(const std::string& name) {
  const auto entries = policy_registry();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const PolicyEntry& e) { return e.name == name; });
  if (entry != entries.end()) return *entry;
  auto names = names_of(entries, &PolicyEntry::name);
  names.emplace_back("recommended");
  throw InputError(fmt::format("unknown policy {}{}; 'dcmrank policies' lists them", quote(name),
                               suggestion(name, names)));
}

void check_options(const PolicySpec& spec, const PolicyEntry& entry) {
  const auto names = names_of(entry.options, &PolicyOption::name);
  for (const auto& [option, value] : spec.options) {
    if (std::find(names.begin(), names.end(), option) != names.end()) continue;
    throw InputError(fmt::format("policy {}: unknown option {}{}; it has {}", quote(spec.text),
                                 quote(option), suggestion(option, names), fmt::join(names, ", ")));
  }
}

std::vector<PolicyEntry> all_entries() {
  auto entries = dcm_entries();
  entries.push_back(
      ranked_entry<RankedKlUcb>("ranked-kl-ucb", "a KL-UCB bandit for each position (Sec. 5.2)"));
  entries.push_back(
      ranked_entry<RankedExp3>("ranked-exp3", "an Exp3 bandit for each position (Sec. 5.3)"));
  return entries;
}

}  // namespace

std::span<const PolicyEntry> policy_registry() {
  static const std::vector<PolicyEntry> entries = all_entries();
  return entries;
}

const std::string& recommended_policy() {
  static const std::string text = "dcm-ts:counting=revised-em,placement=cheapest";
  return text;
}

AnyPolicy make_policy(const PolicySpec& spec, const Shape& shape) {
  const PolicySpec full = resolved(spec);
  const PolicyEntry& entry = find_entry(full.name);
  check_options(full, entry);
  return entry.make(full, shape);
}

}  // namespace dcmrank
