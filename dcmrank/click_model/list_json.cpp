#include "dcmrank/click_model/list_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/log/impression.h"

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

}  // namespace dcmrank
