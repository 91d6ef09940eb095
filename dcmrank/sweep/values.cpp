#include "dcmrank/sweep/values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {
namespace {

constexpr std::size_t kMostValues = 100'000;

[[noreturn]] void refuse(const TomlValue& value, const std::string& why) {
  throw InputError(fmt::format("{}: {} {}", value.where, value.name, why));
}

double number_of(const TomlValue& value, std::string_view demand) {
  if (const auto* whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* number = value.as<double>()) return *number;
  value.refuse(demand);
}

const TomlValue& needed(const TomlValue& range, std::string_view member) {
  const TomlValue* value = range.find(member);
  if (value == nullptr) refuse(range, fmt::format("has no \"{}\"", member));
  return *value;
}

// Both ends belong to it; with `by`, the last one only where a step meets it.
std::vector<double> range_of(const TomlValue& range) {
  check_members(range, {"from", "to", "by", "count"}, "a range");
  const double from = number_of(needed(range, "from"), "a number");
  const double to = number_of(needed(range, "to"), "a number");
  const TomlValue* by = range.find("by");
  const TomlValue* count = range.find("count");
  if ((by == nullptr) == (count == nullptr)) {
    refuse(range, "needs one of \"by\" and \"count\" beside \"from\" and \"to\"");
  }
  if (!(from <= to)) refuse(range, fmt::format("goes from {} down to {}", from, to));
  std::vector<double> values;
  if (count != nullptr) {
    const std::uint64_t n = count_of(*count, 2, kMostValues);
    for (std::uint64_t i = 0; i < n; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(n - 1);
      values.push_back(i + 1 == n ? to : from + share * (to - from));
    }
    return values;
  }
  const double step = number_of(*by, "a number");
  if (!(step > 0)) refuse(*by, fmt::format("is {}, not above 0", step));
  constexpr double kRounding = 1e-9;  // so that from 0.1 to 0.9 by 0.1 has nine values
  const double steps = std::floor((to - from) / step + kRounding);
  if (!(steps < static_cast<double>(kMostValues))) {
    refuse(range, fmt::format("has more than {} values", kMostValues));
  }
  for (double i = 0; i <= steps; ++i) {
    // As it is written in decimals: 0.1 + 2 * 0.1 is 0.3.
    values.push_back(parse_double(fmt::format("{:.12g}", from + i * step)).value_or(from));
  }
  return values;
}

}  // namespace

void check_members(const TomlValue& table, const std::vector<std::string>& known,
                   const std::string& what) {
  for (const TomlMember& member : table.table()) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    throw InputError(fmt::format("{}: {} has no {}{}; it may have {}", member.value.where, what,
                                 quote(member.name), suggestion(member.name, known),
                                 fmt::join(known, ", ")));
  }
}

std::vector<double> numbers_of(const TomlValue& value, const Limits& limits) {
  constexpr std::string_view kDemand =
      "a number, a list of numbers or a range { from = 1, to = 5, by = 1 }";
  std::vector<double> values;
  if (value.as<TomlValue::Table>() != nullptr) {
    values = range_of(value);
  } else if (const auto* list = value.as<TomlValue::Array>()) {
    for (const TomlValue& one : *list) values.push_back(number_of(one, "a number"));
  } else {
    values.push_back(number_of(value, kDemand));
  }
  if (values.empty()) refuse(value, "is an empty list");
  for (const double number : values) {
    if (number >= limits.least && number <= limits.most) continue;
    refuse(value, fmt::format("is {}, not from {} to {}", number, limits.least, limits.most));
  }
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) refuse(value, fmt::format("has {} twice", *twice));
  return values;
}

std::vector<std::uint64_t> counts_of(const TomlValue& value, std::uint64_t least,
                                     std::uint64_t most) {
  std::vector<std::uint64_t> counts;
  const Limits limits{static_cast<double>(least), static_cast<double>(most)};
  for (const double number : numbers_of(value, limits)) {
    if (number != std::floor(number)) {
      refuse(value, fmt::format("is {}, not a whole number", number));
    }
    counts.push_back(static_cast<std::uint64_t>(number));
  }
  return counts;
}

std::uint64_t count_of(const TomlValue& value, std::uint64_t least, std::uint64_t most) {
  const auto counts = counts_of(value, least, most);
  if (counts.size() != 1) refuse(value, "is several values, where one is needed");
  return counts.front();
}

std::vector<std::string> texts_of(const TomlValue& value) {
  if (const auto* text = value.as<std::string>()) return {*text};
  std::vector<std::string> texts;
  for (const TomlValue& one : value.array("a text or a list of texts")) texts.push_back(one.text());
  if (texts.empty()) refuse(value, "is an empty list");
  auto sorted = texts;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) refuse(value, fmt::format("has {} twice", quote(*twice)));
  return texts;
}

}  // namespace dcmrank
