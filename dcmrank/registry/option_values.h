#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/registry/spec.h"

namespace dcmrank {

/// How the makers of policies read their options. All throw InputError that names the policy as it
/// was typed, the option and the value at fault.

template <class Entries, class Name>
std::vector<std::string> names_of(const Entries& entries, Name name) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.push_back(std::invoke(name, entry));
  return names;
}

/// The text of an option, or nullptr where it is not given.
inline const std::string* find_option(const PolicySpec& spec, const std::string& name) {
  const auto option = spec.options.find(name);
  return option == spec.options.end() ? nullptr : &option->second;
}

/// The words that an option may be, and what each means.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

template <class T>
T choice(const PolicySpec& spec, const std::string& option, const Choices<T>& choices,
         T otherwise) {
  const std::string* value = find_option(spec, option);
  if (value == nullptr) return otherwise;
  for (const auto& [name, result] : choices) {
    if (name == *value) return result;
  }
  const auto names = names_of(choices, [](const auto& entry) { return entry.first; });
  throw InputError(fmt::format("policy {}: {}={} is not one of {}{}", quote(spec.text), option,
                               *value, fmt::join(names, ", "), suggestion(*value, names)));
}

/// A probability in [0, 1].
inline double probability(const PolicySpec& spec, const std::string& option,
                          std::string_view text) {
  const auto value = parse_double(text);
  if (!value || !(*value >= 0 && *value <= 1)) {
    throw InputError(fmt::format("policy {}: {} has {}, not a probability in [0, 1]",
                                 quote(spec.text), option, quote(text)));
  }
  return *value;
}

}  // namespace dcmrank
