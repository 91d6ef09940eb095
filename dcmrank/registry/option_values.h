#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/registry/spec.h"

namespace dcmrank {

/// Readers of a policy's options. All throw InputError that names the policy as it was typed, the
/// option and the value at fault.

/// The text of an option, or nullptr if it is not given.
inline const std::string* find_option(const PolicySpec& spec, const std::string& name) {
  const auto option = spec.options.find(name);
  return option == spec.options.end() ? nullptr : &option->second;
}

/// What the word given for an option means; `otherwise` if it is not given.
template <class T>
T choice(const PolicySpec& spec, const std::string& option, const Choices<T>& choices,
         T otherwise) {
  const std::string* value = find_option(spec, option);
  if (value == nullptr) return otherwise;
  return choose(fmt::format("policy {}: {}", quote(spec.text), option), *value, choices);
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

/// The same of an option; `otherwise` if it is not given.
inline double probability(const PolicySpec& spec, const std::string& option, double otherwise) {
  const std::string* value = find_option(spec, option);
  return value == nullptr ? otherwise : probability(spec, option, std::string_view(*value));
}

/// A number from `least` to `most`; `otherwise` if the option is not given.
inline double number(const PolicySpec& spec, const std::string& option, double otherwise,
                     double least, double most) {
  const std::string* text = find_option(spec, option);
  if (text == nullptr) return otherwise;
  const auto value = parse_double(*text);
  if (!value || !(*value >= least && *value <= most)) {
    throw InputError(fmt::format("policy {}: {} is {}, not a number from {} to {}",
                                 quote(spec.text), option, quote(*text), least, most));
  }
  return *value;
}

/// A whole number from `least` to `most`; `otherwise` if the option is not given.
inline std::uint64_t whole(const PolicySpec& spec, const std::string& option,
                           std::uint64_t otherwise, std::uint64_t least, std::uint64_t most) {
  const std::string* text = find_option(spec, option);
  if (text == nullptr) return otherwise;
  const auto value = parse_whole(*text);
  if (!value || *value < least || *value > most) {
    throw InputError(fmt::format("policy {}: {} is {}, not a whole number from {} to {}",
                                 quote(spec.text), option, quote(*text), least, most));
  }
  return *value;
}

}  // namespace dcmrank
