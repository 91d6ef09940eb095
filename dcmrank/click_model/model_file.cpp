#include "dcmrank/click_model/model_file.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/log/impression.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

std::string id(const ordered_json& json, const char* name) {
  std::string text = fields::string(json, name);
  if (text.empty() || text.size() > kMaxId || text.find('\0') != std::string::npos) {
    throw InputError(fmt::format("\"{}\" is {}, not an id of 1 to {} bytes without NUL", name,
                                 quote(text), kMaxId));
  }
  return text;
}

double count(const ordered_json& json, const char* name) {
  return fields::has(json, name) ? fields::number(json, name, fields::kCount) : 0;
}

std::vector<double> probabilities(const ordered_json& json, const char* name) {
  if (!fields::has(json, name)) return {};
  if (fields::array(json, name).size() > kMaxPositions) {
    throw InputError(fmt::format("\"{}\" is too long", name));
  }
  return fields::numbers(json, name, fields::kProbability);
}

std::vector<std::size_t> positions(const ordered_json& json, const char* name) {
  if (!fields::has(json, name)) return {};
  const auto values = fields::whole_numbers(json, name, 1, kMaxPositions);
  return {values.begin(), values.end()};
}

FittedItem item_of(const ordered_json& json) {
  FittedItem item;
  item.item = id(json, "item");
  item.attraction = fields::number(json, "attraction", fields::kProbability);
  if (fields::has(json, "satisfaction")) {
    item.satisfaction = fields::number(json, "satisfaction", fields::kProbability);
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
  for (const ordered_json& item : fields::array(json, "items")) {
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
  if (!fields::has(json, "prior")) return {};
  const auto pair = fields::numbers(json, "prior", {0, 1e9}, 2);
  return {pair[0], pair[1]};
}

EmTrace em_of(const ordered_json& json) {
  EmTrace em;
  if (!fields::has(json, "em")) return em;
  const ordered_json& trace = json["em"];
  em.log_likelihood = fields::numbers(trace, "log_likelihood", fields::kAny);
  em.objective = fields::numbers(trace, "objective", fields::kAny);
  if (fields::has(trace, "converged")) em.converged = fields::boolean(trace, "converged");
  if (fields::has(trace, "tolerance")) {
    em.tolerance = fields::number(trace, "tolerance", fields::kAny);
  }
  return em;
}

void check_version(const ordered_json& json) {
  if (fields::has(json, "format") && fields::string(json, "format") != "dcmrank.model") {
    throw InputError(fmt::format("is a {}, not a model", quote(fields::string(json, "format"))));
  }
  if (fields::has(json, "version") && fields::number(json, "version", fields::kAny) != 1) {
    throw InputError("is of a later version");
  }
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
  model.model = click_model(fields::string(json, "model"), "\"model\"").name;
  model.method = fields::string(json, "method");
  model.positions = fields::whole_number(json, "positions", 0, kMaxPositions);
  model.prior = prior_of(json);
  for (const auto& query : fields::array(json, "queries")) model.queries.push_back(query_of(query));
  model.termination = probabilities(json, "termination");
  model.unidentified = positions(json, "unidentified");
  model.examination = probabilities(json, "examination");
  model.em = em_of(json);
  if (fields::has(json, "log")) model.log = log_from_json(fields::object(json, "log"));
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
  }
}

FittedModel read_model(const std::string& path) { return parse_model(read_file(path), path); }

}  // namespace dcmrank
