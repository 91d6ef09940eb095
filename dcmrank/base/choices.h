#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dcmrank {

/// Looks up a name that a user gave among the known ones: the only place that says what happens
/// when it is unknown.

/// Throws InputError: "WHAT is 'VALUE', not one of A, B, C (did you mean 'B'?)". `what` names the
/// option, file or field at fault.
[[noreturn]] void throw_unknown(std::string_view what, std::string_view value,
                                std::span<const std::string> names);

/// The names of the entries; `name` is a member or a function that gives an entry's name.
template <class Entries, class Name>
std::vector<std::string> names_of(const Entries& entries, Name name) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.emplace_back(std::invoke(name, entry));
  return names;
}

/// The entry whose name is `value`, or throw_unknown().
template <class Entries, class Name>
const auto& choose(std::string_view what, std::string_view value, const Entries& entries,
                   Name name) {
  for (const auto& entry : entries) {
    if (std::string_view(std::invoke(name, entry)) == value) return entry;
  }
  throw_unknown(what, value, names_of(entries, name));
}

/// The words that are accepted, and what each means.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

template <class T>
std::vector<std::string> words_of(const Choices<T>& choices) {
  return names_of(choices, &std::pair<std::string, T>::first);
}

/// What the word `value` means, or throw_unknown(). Refers to the choices.
template <class T>
const T& choose(std::string_view what, std::string_view value, const Choices<T>& choices) {
  return choose(what, value, choices, &std::pair<std::string, T>::first).second;
}

}  // namespace dcmrank
