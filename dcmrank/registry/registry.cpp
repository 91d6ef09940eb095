#include "dcmrank/registry/registry.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/blame.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/registration.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/typed.h"
#include "dcmrank/registry/built_in.h"
#include "dcmrank/registry/dcm_entries.h"
#include "dcmrank/registry/option_values.h"
#include "dcmrank/registry/position_options.h"

namespace dcmrank {
namespace {

const PolicyOption kDuplicates{"duplicates",
                               "when the item a position wants is already placed above it. skip: "
                               "it takes its best item that is not (default); random: it shows a "
                               "random item and learns that there was no click (Radlinski)",
                               {"skip", "random"}};

template <class Ranked>
PolicyEntry ranked_entry(std::string name, std::string summary) {
  const auto make = [](const PolicySpec& spec, const PolicyCase& c) -> AnyPolicy {
    const Choices<Duplicates> rules{{"skip", Duplicates::kSkip}, {"random", Duplicates::kRandom}};
    return Ranked(c.shape, choice(spec, "duplicates", rules, Duplicates::kSkip));
  };
  return {std::move(name), std::move(summary), {kDuplicates}, make};
}

void check_options(const PolicySpec& spec, const PolicyEntry& entry) {
  const auto names = names_of(entry.options, &PolicyOption::name);
  for (const auto& [option, value] : spec.options) {
    if (std::find(names.begin(), names.end(), option) != names.end()) continue;
    throw InputError(
        fmt::format("policy {}: unknown option {}{}; its options: {}", quote(spec.text),
                    quote(option), suggestion(option, names),
                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
}

// A policy that is told the order of positions, and nothing else.
template <class P>
PolicyEntry told_entry(std::string name, std::string summary) {
  const auto make = [](const PolicySpec& spec, const PolicyCase& c) -> AnyPolicy {
    return P(c.shape, told_order(spec, c));
  };
  return {std::move(name), std::move(summary), {told_order_option()}, make};
}

PolicyEntry pbm_entry() {
  const auto make = [](const PolicySpec& spec, const PolicyCase& c) -> AnyPolicy {
    return PbmPolicy(c.shape, told_examination(spec, c));
  };
  return {"pbm-ts",
          "Thompson sampling, examination of positions known (Lagrée et al., 2016)",
          {told_examination_option()},
          make};
}

std::vector<PolicyEntry> all_entries() {
  auto entries = dcm_entries();
  entries.push_back(told_entry<BrowsingPolicy>(
      "ubm-ts", "Thompson sampling on a user browsing model, for users who do not follow the DCM"));
  entries.push_back(told_entry<RobustPolicy>(
      "robust-ts", "ubm-ts or dcm-ts, whichever model has predicted the users' clicks better"));
  entries.push_back(pbm_entry());
  entries.push_back(told_entry<TopRank>(
      "toprank", "compares items in pairs, assumes little of users (Lattimore et al., 2018)"));
  entries.push_back(
      ranked_entry<RankedKlUcb>("ranked-kl-ucb", "a KL-UCB bandit for each position (Sec. 5.2)"));
  entries.push_back(
      ranked_entry<RankedExp3>("ranked-exp3", "an Exp3 bandit for each position (Sec. 5.3)"));
  return entries;
}

std::vector<PolicyEntry>& entries() {
  static std::vector<PolicyEntry> all = all_entries();
  return all;
}

// What a policy throws while it is made: wrong options are InputErrors, which name it themselves.
AnyPolicy made(const PolicyEntry& entry, const PolicySpec& spec, const PolicyCase& policy_case) {
  const auto who = [&] { return fmt::format("policy {}, when it was made", quote(spec.text)); };
  try {
    return entry.make(spec, policy_case);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    blame(error, who());
    throw;
  } catch (...) {
    throw std::runtime_error(who() + ": it threw something that is no std::exception");
  }
}

}  // namespace

std::span<const PolicyEntry> policy_registry() { return entries(); }

std::vector<std::string> policy_names() {
  auto names = names_of(policy_registry(), &PolicyEntry::name);
  names.emplace_back("recommended");
  return names;
}

void add_policy(PolicyEntry entry) {
  const auto taken = [&](const PolicyEntry& e) { return e.name == entry.name; };
  if (entry.name == "recommended" || std::any_of(entries().begin(), entries().end(), taken)) {
    refuse_registration(fmt::format("there is already a policy {}", quote(entry.name)));
  }
  if (!entry.make) refuse_registration(fmt::format("policy {} has no maker", quote(entry.name)));
  if (!can_be_typed(entry.name)) {
    refuse_registration(
        fmt::format("{} cannot be the name of a policy: {}", quote(entry.name), kWhatCanBeTyped));
  }
  auto names = names_of(entry.options, &PolicyOption::name);
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    refuse_registration(
        fmt::format("policy {} has the option {} twice", quote(entry.name), quote(*twice)));
  }
  for (const std::string& name : names) {
    if (can_be_typed(name)) continue;
    refuse_registration(fmt::format("policy {}: {} cannot be the name of an option: {}",
                                    quote(entry.name), quote(name), kWhatCanBeTyped));
  }
  entries().push_back(std::move(entry));
}

const std::string& recommended_policy() {
  static const std::string text = "robust-ts";
  return text;
}

const std::string& served_policy() {
  static const std::string text = "ubm-ts";
  return text;
}

// The user's options of `recommended` override its own.
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
  throw InputError(fmt::format("unknown policy {}{}; 'dcmrank policies' lists them", quote(name),
                               suggestion(name, policy_names())));
}

bool takes_option(const PolicySpec& spec, std::string_view option) {
  return std::ranges::any_of(find_entry(resolved(spec).name).options,
                             [&](const PolicyOption& taken) { return taken.name == option; });
}

bool could_be_told_order(const PolicySpec& spec) {
  const auto& given = resolved(spec).options;
  return takes_option(spec, "order") && !given.contains("order") && !given.contains("terminations");
}

AnyPolicy make_policy(const PolicySpec& spec, const PolicyCase& policy_case) {
  const PolicySpec full = resolved(spec);
  const PolicyEntry& entry = find_entry(full.name);
  check_options(full, entry);
  return made(entry, full, policy_case);
}

bool is_served(const PolicyEntry& entry) {
  constexpr Shape kSmall{3, 2, 1000};
  try {
    return made(entry, parse_policy_spec(entry.name), kSmall).can_open();
  } catch (const std::exception&) {  // it needs options, which say what only a simulation knows
    return false;
  }
}

AnyOpenPolicy make_open_policy(const PolicySpec& spec, const Shape& shape) {
  const AnyPolicy policy = make_policy(spec, shape);
  if (!policy.can_open()) {
    std::vector<std::string> offered{"recommended"};
    for (const PolicyEntry& entry : policy_registry()) {
      if (is_served(entry)) offered.push_back(entry.name);
    }
    throw InputError(fmt::format(
        "policy {} is not offered by the service, where items come and go; it offers {}",
        quote(spec.text), fmt::join(offered, ", ")));
  }
  try {
    return policy.open_view();
  } catch (const InputError& error) {
    throw InputError(fmt::format("policy {}: {}", quote(spec.text), error.what()));
  }
}

}  // namespace dcmrank
