#include "dcmrank/click_model/model_file.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/log/impression.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

const ordered_json& member(const ordered_json& json, const char* name) {
  if (!json.is_object()) throw InputError(fmt::format("{} is not an object", quote(json.dump())));
  const auto entry = json.find(name);
  if (entry == json.end()) throw InputError(fmt::format("\"{}\" is missing", name));
  return *entry;
}

const ordered_json& array(const ordered_json& json, const char* name) {
  const ordered_json& value = member(json, name);
  if (!value.is_array()) throw InputError(fmt::format("\"{}\" is not an array", name));
  return value;
}

std::string string(const ordered_json& json, const char* name) {
  const ordered_json& value = member(json, name);
  if (!value.is_string()) {
    throw InputError(fmt::format("\"{}\" is {}, not a string", name, quote(value.dump())));
  }
  return value.get<std::string>();
}

std::string id(const ordered_json& json, const char* name) {
  std::string text = string(json, name);
  if (text.empty() || text.size() > kMaxId || text.find('\0') != std::string::npos) {
    throw InputError(fmt::format("\"{}\" is {}, not an id of 1 to {} bytes without NUL", name,
                                 quote(text), kMaxId));
  }
  return text;
}

double number(const ordered_json& value, const char* name, double most) {
  const double x = value.is_number() ? value.get<double>() : -1;
  if (!(x >= 0 && x <= most)) {
    throw InputError(
        fmt::format("\"{}\" is {}, not a number from 0 to {}", name, quote(value.dump()), most));
  }
  return x;
}

double count(const ordered_json& json, const char* name) {
  return json.contains(name) ? number(json[name], name, 0x1p53) : 0;
}

std::vector<double> probabilities(const ordered_json& json, const char* name) {
  std::vector<double> values;
  if (!json.contains(name)) return values;
  for (const ordered_json& value : array(json, name)) values.push_back(number(value, name, 1));
  if (values.size() > kMaxPositions) throw InputError(fmt::format("\"{}\" is too long", name));
  return values;
}

std::vector<std::size_t> positions(const ordered_json& json, const char* name) {
  std::vector<std::size_t> values;
  if (!json.contains(name)) return values;
  for (const ordered_json& value : array(json, name)) {
    values.push_back(static_cast<std::size_t>(number(value, name, kMaxPositions)));
  }
  return values;
}

FittedItem item_of(const ordered_json& json) {
  FittedItem item;
  item.item = id(json, "item");
  item.attraction = number(member(json, "attraction"), "attraction", 1);
  if (json.contains("satisfaction")) {
    item.satisfaction = number(json["satisfaction"], "satisfaction", 1);
  }
  item.shown = count(json, "shown");
  item.clicked = count(json, "clicked");
  item.impressions = count(json, "impressions");
  return item;
}

FittedQuery query_of(const ordered_json& json) {
  FittedQuery query;
  query.query = id(json, "query");
  query.impressions = count(json, "impressions");
  std::unordered_set<std::string> seen;
  for (const ordered_json& item : array(json, "items")) {
    query.items.push_back(item_of(item));
    if (!seen.insert(query.items.back().item).second) {
      throw InputError(fmt::format("query {} has item {} twice", quote(query.query),
                                   quote(query.items.back().item)));
    }
  }
  query.termination = probabilities(json, "termination");
  query.unidentified = positions(json, "unidentified");
  return query;
}

Prior prior_of(const ordered_json& json) {
  if (!json.contains("prior")) return {};
  const ordered_json& pair = array(json, "prior");
  if (pair.size() != 2) throw InputError("\"prior\" has not two numbers");
  return {number(pair[0], "prior", 1e9), number(pair[1], "prior", 1e9)};
}

EmTrace em_of(const ordered_json& json) {
  EmTrace em;
  if (!json.contains("em")) return em;
  const ordered_json& trace = json["em"];
  for (const auto& x : array(trace, "log_likelihood")) em.log_likelihood.push_back(x);
  for (const auto& x : array(trace, "objective")) em.objective.push_back(x);
  em.converged = trace.value("converged", false);
  em.tolerance = trace.value("tolerance", 0.0);
  return em;
}

void check_version(const ordered_json& json) {
  if (json.value("format", "dcmrank.model") != "dcmrank.model") {
    throw InputError(fmt::format("is a {}, not a model", quote(string(json, "format"))));
  }
  if (json.value("version", 1) != 1) throw InputError("is of a later version");
}

void check_queries(const FittedModel& model) {
  std::unordered_set<std::string_view> seen;
  for (const FittedQuery& query : model.queries) {
    if (!seen.insert(query.query).second) {
      throw InputError(fmt::format("query {} is there twice", quote(query.query)));
    }
    if (model.model == "dcm" && model.termination.empty() && query.termination.empty()) {
      throw InputError(fmt::format("query {} has no \"termination\"", quote(query.query)));
    }
  }
  if (model.queries.empty()) throw InputError("\"queries\" is empty");
  if (model.model == "pbm" && model.examination.empty()) {
    throw InputError("\"examination\" is missing");
  }
}

FittedModel model_from_json(const ordered_json& json) {
  FittedModel model;
  if (!json.is_object()) throw InputError("is not a JSON object");
  check_version(json);
  model.model = click_model(string(json, "model"), "\"model\"").name;
  model.method = string(json, "method");
  model.positions =
      static_cast<std::size_t>(number(member(json, "positions"), "positions", kMaxPositions));
  model.prior = prior_of(json);
  for (const auto& query : array(json, "queries")) model.queries.push_back(query_of(query));
  model.termination = probabilities(json, "termination");
  model.unidentified = positions(json, "unidentified");
  model.examination = probabilities(json, "examination");
  model.em = em_of(json);
  if (json.contains("log")) model.log = log_from_json(json["log"]);
  check_queries(model);
  return model;
}

}  // namespace

FittedModel parse_model(std::string_view json, const std::string& source) {
  const ordered_json parsed = parse_json(json, source);
  try {
    return model_from_json(parsed);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", source, error.what()));
  } catch (const ordered_json::exception& error) {
    throw InputError(fmt::format("{}: {}", source, error.what()));
  }
}

FittedModel read_model(const std::string& path) { return parse_model(read_file(path), path); }

}  // namespace dcmrank
