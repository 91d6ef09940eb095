#include "dcmrank/policy/registry.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/io/error.h"
#include "dcmrank/io/text.h"

namespace dcmrank {
namespace {

template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

std::vector<std::string> names_of(const auto& entries, auto name) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.push_back(std::invoke(name, entry));
  return names;
}

const std::string* find_option(const PolicySpec& spec, const std::string& name) {
  const auto option = spec.options.find(name);
  return option == spec.options.end() ? nullptr : &option->second;
}

// The value of an option that is one of a few words; the first choice is the default.
template <class T>
T choice(const PolicySpec& spec, const std::string& option, const Choices<T>& choices) {
  const std::string* value = find_option(spec, option);
  if (value == nullptr) return choices.front().second;
  for (const auto& [name, result] : choices) {
    if (name == *value) return result;
  }
  const auto names = names_of(choices, [](const auto& entry) { return entry.first; });
  throw InputError(fmt::format("policy {}: {}={} is not one of {}{}", quote(spec.text), option,
                               *value, fmt::join(names, ", "), suggestion(*value, names)));
}

// order=3,1,2: the positions, counted from 1, from the most to the least terminating.
PositionOrder order_option(const PolicySpec& spec, std::size_t positions) {
  const std::string* value = find_option(spec, "order");
  if (value == nullptr) return top_down(positions);
  PositionOrder order;
  for (const std::string_view part : split(*value, ',')) {
    const auto position = parse_unsigned(part);
    if (!position || *position == 0 || *position > positions) {
      throw InputError(fmt::format("policy {}: order has {}, not a position from 1 to {}",
                                   quote(spec.text), quote(part), positions));
    }
    order.push_back(static_cast<std::size_t>(*position) - 1);
  }
  PositionOrder sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != top_down(positions)) {
    throw InputError(fmt::format("policy {}: order must name each of the {} positions once",
                                 quote(spec.text), positions));
  }
  return order;
}

const PolicyOption kInit{"init",
                         "free: one sample of every item before step 1 (Algorithm 1, default); "
                         "first-position: L steps with item t at position 1 (Sec. 3.3)",
                         {"free", "first-position"}};
const PolicyOption kOrder{"order",
                          "positions from the most to the least terminating, e.g. order=3,1,2 "
                          "(default: from the top)",
                          {}};
const PolicyOption kDuplicates{"duplicates",
                               "skip: a position takes its best item not placed above (default); "
                               "random: a duplicate is replaced at random and scored 0 (Radlinski)",
                               {"skip", "random"}};

PolicyEntry dcm_kl_ucb_entry(std::string name, std::string summary, Counting counting) {
  const auto make = [counting](const PolicySpec& spec, const Shape& shape) -> AnyPolicy {
    const Choices<Initialisation> inits{{"free", Initialisation::kFree},
                                        {"first-position", Initialisation::kFirstPosition}};
    return DcmKlUcb(shape, {.counting = counting,
                            .init = choice(spec, "init", inits),
                            .order = order_option(spec, shape.positions)});
  };
  return {std::move(name), std::move(summary), {kInit, kOrder}, make};
}

template <class Ranked>
PolicyEntry ranked_entry(std::string name, std::string summary) {
  const auto make = [](const PolicySpec& spec, const Shape& shape) -> AnyPolicy {
    const Choices<Duplicates> rules{{"skip", Duplicates::kSkip}, {"random", Duplicates::kRandom}};
    return Ranked(shape, choice(spec, "duplicates", rules));
  };
  return {std::move(name), std::move(summary), {kDuplicates}, make};
}

const PolicyEntry& find_entry(const PolicySpec& spec) {
  const std::string& name = spec.name == "recommended" ? recommended_policy() : spec.name;
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

}  // namespace

std::span<const PolicyEntry> policy_registry() {
  static const std::vector<PolicyEntry> entries{
      dcm_kl_ucb_entry("dcm-kl-ucb",
                       "dcmKL-UCB, Algorithm 1 as published: learns from all up to the last click",
                       Counting::kPrefix),
      dcm_kl_ucb_entry("first-click", "dcmKL-UCB that keeps only the first click (Sec. 5.2)",
                       Counting::kFirstClick),
      dcm_kl_ucb_entry("last-click", "dcmKL-UCB that keeps only the last click (Sec. 5.2)",
                       Counting::kLastClick),
      ranked_entry<RankedKlUcb>("ranked-kl-ucb", "a KL-UCB bandit for each position (Sec. 5.2)"),
      ranked_entry<RankedExp3>("ranked-exp3", "an Exp3 bandit for each position (Sec. 5.3)"),
  };
  return entries;
}

const std::string& recommended_policy() {
  static const std::string name = "dcm-kl-ucb";
  return name;
}

AnyPolicy make_policy(const PolicySpec& spec, const Shape& shape) {
  const PolicyEntry& entry = find_entry(spec);
  check_options(spec, entry);
  return entry.make(spec, shape);
}

}  // namespace dcmrank
