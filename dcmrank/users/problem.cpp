#include "dcmrank/users/problem.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/model_file.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

constexpr std::string_view kLowerBound = "lb:";
const std::vector<std::string> kKeys{"L", "K", "p", "gap", "gamma"};

std::map<std::string, std::string> key_values(std::string_view text) {
  std::map<std::string, std::string> values;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      throw InputError(fmt::format("{} is not of the form key=value", quote(part)));
    }
    const std::string key(part.substr(0, equals));
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      throw InputError(fmt::format("unknown key {}{}; the keys are {}", quote(key),
                                   suggestion(key, kKeys), fmt::join(kKeys, ", ")));
    }
    if (!values.emplace(key, part.substr(equals + 1)).second) {
      throw InputError(fmt::format("{} is given twice", key));
    }
  }
  for (const std::string& key : kKeys) {
    if (!values.contains(key)) throw InputError(fmt::format("{} is missing", key));
  }
  return values;
}

std::size_t whole(const std::map<std::string, std::string>& values, const char* key) {
  const std::string& text = values.at(key);
  const auto value = parse_unsigned(text);
  if (!value) throw InputError(fmt::format("{} is {}, not a whole number", key, quote(text)));
  return static_cast<std::size_t>(*value);
}

double number(const std::map<std::string, std::string>& values, const char* key) {
  const std::string& text = values.at(key);
  const auto value = parse_double(text);
  if (!value) throw InputError(fmt::format("{} is {}, not a number", key, quote(text)));
  return *value;
}

std::vector<double> probabilities(const ordered_json& json, const char* name) {
  const auto entry = json.find(name);
  if (entry == json.end()) throw InputError(fmt::format("\"{}\" is missing", name));
  if (!entry->is_array()) throw InputError(fmt::format("\"{}\" is not an array", name));
  std::vector<double> values;
  values.reserve(entry->size());
  for (const auto& value : *entry) {
    if (!value.is_number()) {
      throw InputError(
          fmt::format("{}[{}] is {}, not a number", name, values.size(), quote(value.dump())));
    }
    values.push_back(value.get<double>());
  }
  return values;
}

// Models have queries, problems have not.
bool is_model(std::string_view text, const std::string& source) {
  const ordered_json json = parse_json(text, source);
  return json.is_object() && json.contains("queries");
}

}  // namespace

LowerBoundClass parse_lower_bound_class(std::string_view text) {
  const auto values = key_values(text);
  return {whole(values, "L"), whole(values, "K"), number(values, "p"), number(values, "gap"),
          number(values, "gamma")};
}

Dcm parse_problem(std::string_view json, const std::string& source) {
  const ordered_json parsed = parse_json(json, source);
  try {
    if (!parsed.is_object()) throw InputError("not a JSON object");
    Dcm dcm{probabilities(parsed, "attraction"), probabilities(parsed, "termination")};
    check(dcm);
    return dcm;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", source, error.what()));
  }
}

Dcm read_problem(const std::string& spec, const std::string& query) {
  if (!spec.starts_with(kLowerBound)) {
    const std::string text = read_file(spec);
    if (is_model(text, spec)) return dcm_of(parse_model(text, spec), query, spec);
    if (!query.empty()) throw InputError(fmt::format("--query: {} is not a model", spec));
    return parse_problem(text, spec);
  }
  if (!query.empty()) throw InputError("--query: the problem is not a model");
  try {
    return make_dcm(parse_lower_bound_class(std::string_view(spec).substr(kLowerBound.size())));
  } catch (const InputError& error) {
    throw InputError(fmt::format("--problem {}: {}", quote(spec), error.what()));
  }
}

ordered_json problem_to_json(const Dcm& dcm) {
  return {{"attraction", dcm.attraction}, {"termination", dcm.termination}};
}

}  // namespace dcmrank
