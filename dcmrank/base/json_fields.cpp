#include "dcmrank/base/json_fields.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank::fields {

using nlohmann::ordered_json;

namespace {

std::string quoted(std::string_view name) { return fmt::format("\"{}\"", name); }
std::string element(std::string_view name, std::size_t n) { return fmt::format("{}[{}]", name, n); }

[[noreturn]] void refuse(std::string_view what, const ordered_json& value,
                         std::string_view expected) {
  throw InputError(fmt::format("{} is {}, not {}", what, quote(value.dump()), expected));
}

// "a number from 0 to 1", "a number of at least 0", "a number".
template <class Number>
std::string range(std::string_view kind, Number least, Number most) {
  using Limits = std::numeric_limits<Number>;
  if (most < Limits::max()) return fmt::format("{} from {} to {}", kind, least, most);
  return least > Limits::lowest() ? fmt::format("{} of at least {}", kind, least)
                                  : std::string(kind);
}

// Also of a number with a point, where it is whole all the same.
bool is_whole(const ordered_json& value) {
  if (value.is_number_unsigned()) return true;
  if (!value.is_number_float()) return false;
  const auto x = value.get<double>();
  return x >= 0 && x <= 0x1p53 && std::floor(x) == x;
}

}  // namespace

bool has(const ordered_json& json, std::string_view name) {
  const auto entry = json.is_object() ? json.find(name) : json.end();
  return entry != json.end() && !entry->is_null();
}

const ordered_json& member(const ordered_json& json, std::string_view name) {
  if (!json.is_object()) throw InputError(fmt::format("{} is not an object", quote(json.dump())));
  const auto entry = json.find(name);
  if (entry == json.end()) throw InputError(fmt::format("\"{}\" is missing", name));
  return *entry;
}

const ordered_json& object(const ordered_json& json, std::string_view name) {
  const ordered_json& value = member(json, name);
  if (!value.is_object()) throw InputError(fmt::format("\"{}\" is not an object", name));
  return value;
}

const ordered_json& array(const ordered_json& json, std::string_view name) {
  const ordered_json& value = member(json, name);
  if (!value.is_array()) throw InputError(fmt::format("\"{}\" is not an array", name));
  return value;
}

const ordered_json& array(const ordered_json& json, std::string_view name, std::size_t size) {
  const ordered_json& value = array(json, name);
  if (value.size() != size) {
    throw InputError(fmt::format("\"{}\" has {}, not {}", name,
                                 how_many(value.size(), "entry", "entries"), size));
  }
  return value;
}

std::string string(const ordered_json& json, std::string_view name) {
  const ordered_json& value = member(json, name);
  if (!value.is_string()) refuse(quoted(name), value, "a string");
  return value.get<std::string>();
}

bool boolean(const ordered_json& json, std::string_view name) {
  const ordered_json& value = member(json, name);
  if (!value.is_boolean()) refuse(quoted(name), value, "true or false");
  return value.get<bool>();
}

double number(const ordered_json& json, std::string_view name, const Bounds& bounds) {
  return to_number(member(json, name), quoted(name), bounds);
}

std::uint64_t whole_number(const ordered_json& json, std::string_view name, std::uint64_t least,
                           std::uint64_t most) {
  return to_whole_number(member(json, name), quoted(name), least, most);
}

std::vector<double> numbers(const ordered_json& json, std::string_view name, const Bounds& bounds) {
  std::vector<double> values;
  for (const ordered_json& value : array(json, name)) {
    values.push_back(to_number(value, element(name, values.size()), bounds));
  }
  return values;
}

std::vector<double> numbers(const ordered_json& json, std::string_view name, const Bounds& bounds,
                            std::size_t size) {
  array(json, name, size);
  return numbers(json, name, bounds);
}

std::vector<std::uint64_t> whole_numbers(const ordered_json& json, std::string_view name,
                                         std::uint64_t least, std::uint64_t most) {
  std::vector<std::uint64_t> values;
  for (const ordered_json& value : array(json, name)) {
    values.push_back(to_whole_number(value, element(name, values.size()), least, most));
  }
  return values;
}

double to_number(const ordered_json& value, std::string_view what, const Bounds& bounds) {
  const double x = value.is_number() ? value.get<double>() : NAN;
  // Written so that NaN, for which every comparison is false, is refused too.
  if (!(x >= bounds.least && x <= bounds.most)) {
    refuse(what, value, range("a number", bounds.least, bounds.most));
  }
  return x;
}

std::uint64_t to_whole_number(const ordered_json& value, std::string_view what, std::uint64_t least,
                              std::uint64_t most) {
  const std::uint64_t x = is_whole(value) ? value.get<std::uint64_t>() : 0;
  if (!is_whole(value) || x < least || x > most) {
    refuse(what, value, range("a whole number", least, most));
  }
  return x;
}

}  // namespace dcmrank::fields
