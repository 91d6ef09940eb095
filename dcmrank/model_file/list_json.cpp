#include "dcmrank/model_file/list_json.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/page/impression.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

ordered_json rows_of(const std::vector<double>& values) {
  ordered_json rows = ordered_json::array();
  std::size_t begin = 0;
  for (std::size_t k = 1; begin + k <= values.size(); ++k) {
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(begin);
    rows.push_back(std::vector<double>(row, row + static_cast<std::ptrdiff_t>(k)));
    begin += k;
  }
  return rows;
}

std::vector<double> values_of_rows(const ordered_json& rows, const std::string& name) {
  std::vector<double> values;
  for (std::size_t k = 1; k <= rows.size(); ++k) {
    const ordered_json& row = rows[k - 1];
    if (!row.is_array() || row.size() != k) {
      throw InputError(fmt::format("row {} of \"{}\" is not an array of {} numbers", k, name, k));
    }
    for (std::size_t n = 0; n < k; ++n) {
      const std::string what = fmt::format("{}[{}][{}]", name, k - 1, n);
      values.push_back(fields::to_number(row[n], what, fields::kProbability));
    }
  }
  return values;
}

// The row of entry n of a triangle and its place in the row, all counted from 1.
std::pair<std::size_t, std::size_t> place_in_triangle(std::size_t n) {
  std::size_t row = 1;
  while (n > row) n -= row++;
  return {row, n};
}

std::size_t entry_from_json(const ordered_json& value, const ListParameter& list) {
  const auto whole = [&](const ordered_json& number, std::size_t most) {
    if (number.is_number_unsigned() && number >= 1U && number <= most) {
      return number.get<std::size_t>();
    }
    throw InputError(fmt::format("\"{}\": {} is not an entry of \"{}\"", list.unidentified,
                                 value.dump(), list.name));
  };
  if (list.shape != ListShape::kTriangle) return whole(value, entries(list, kMaxPositions));
  const bool pair = value.is_array() && value.size() == 2;
  const std::size_t row = whole(pair ? value[0] : ordered_json(), kMaxPositions);
  return row * (row - 1) / 2 + whole(value[1], row);
}

std::string entry_text(const ListParameter& list, std::size_t n) {
  if (list.shape == ListShape::kNumbers) {
    return list.numbers == 1 ? list.name : fmt::format("{}{}", list.name, n);
  }
  if (list.shape == ListShape::kPositions) return fmt::format("position {}", n);
  const auto [row, place] = place_in_triangle(n);
  return place == row ? fmt::format("position {} without a click above", row)
                      : fmt::format("position {} with the last click {} above", row, place);
}

std::string joined(const ListParameter& list, std::span<const std::size_t> entries) {
  std::vector<std::string> names;
  for (const std::size_t n : entries) names.push_back(entry_text(list, n));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

ordered_json list_to_json(const ListParameter& list, const std::vector<double>& values) {
  if (list.shape == ListShape::kTriangle) return rows_of(values);
  if (list.shape == ListShape::kNumbers && list.numbers == 1) return values.at(0);
  return values;
}

std::vector<double> list_from_json(const ordered_json& json, const ListParameter& list) {
  if (!fields::has(json, list.name)) return {};
  const bool fixed = list.shape == ListShape::kNumbers;
  if (fixed && list.numbers == 1) return {fields::number(json, list.name, fields::kProbability)};
  if (fixed) return fields::numbers(json, list.name, fields::kProbability, list.numbers);
  const ordered_json& array = fields::array(json, list.name);
  if (array.size() > kMaxPositions) {
    throw InputError(
        fmt::format("\"{}\" has {} entries, more than {}", list.name, array.size(), kMaxPositions));
  }
  if (list.shape == ListShape::kTriangle) return values_of_rows(array, list.name);
  return fields::numbers(json, list.name, fields::kProbability);
}

ordered_json entries_to_json(const ListParameter& list, const std::vector<std::size_t>& entries) {
  if (list.shape != ListShape::kTriangle) return entries;
  ordered_json pairs = ordered_json::array();
  for (const std::size_t n : entries) pairs.push_back(place_in_triangle(n));
  return pairs;
}

std::vector<std::size_t> entries_from_json(const ordered_json& json, const ListParameter& list,
                                           std::size_t size) {
  std::vector<std::size_t> entries;
  if (list.unidentified.empty() || !fields::has(json, list.unidentified)) return entries;
  for (const ordered_json& value : fields::array(json, list.unidentified)) {
    entries.push_back(entry_from_json(value, list));
    if (entries.back() <= size) continue;
    throw InputError(
        fmt::format("\"{}\": \"{}\" has no entry {}", list.unidentified, list.name, value.dump()));
  }
  return entries;
}

std::pair<std::size_t, std::size_t> place_of_entry(const ListParameter& list, std::size_t n) {
  return list.shape == ListShape::kTriangle ? place_in_triangle(n) : std::pair(n, n);
}

std::string entries_text(const ListParameter& list, const std::vector<std::size_t>& chosen,
                         std::size_t size) {
  constexpr std::size_t kMostNamed = 5;
  constexpr std::size_t kMostExcepted = 2;
  if (chosen.size() <= kMostNamed) return joined(list, chosen);
  std::vector<std::size_t> others;
  for (std::size_t n = 1; n <= size; ++n) {
    if (std::find(chosen.begin(), chosen.end(), n) == chosen.end()) others.push_back(n);
  }
  if (others.empty()) return "all";
  if (others.size() <= kMostExcepted) return "all but " + joined(list, others);
  return fmt::format("{} and {} more", joined(list, std::span(chosen).first(kMostNamed)),
                     chosen.size() - kMostNamed);
}

std::string named_entries_text(const ListParameter& list, const std::vector<std::size_t>& chosen,
                               std::size_t size) {
  const std::string text = entries_text(list, chosen, size);
  return list.shape == ListShape::kNumbers ? text : fmt::format("{} at {}", list.name, text);
}

}  // namespace dcmrank
