#include "dcmrank/model_file/model_file.h"

#include <optional>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/mapped_file.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/fitted_check.h"
#include "dcmrank/model_file/compact_model.h"
#include "dcmrank/model_file/list_json.h"
#include "dcmrank/page/impression.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

std::string id(const ordered_json& json, const char* name) {
  std::string text = fields::string(json, name);
  try {
    check_id(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("\"{}\" is {}", name, error.what()));
  }
  return text;
}

double count(const ordered_json& json, const char* name) {
  return fields::has(json, name) ? fields::number(json, name, fields::kCount) : 0;
}

enum class Of : std::uint8_t { kQuery, kModel };

// Those lists of the model that are there. What all queries share is not looked for in a query.
FittedLists lists_of(const ClickModel& model, const ordered_json& json, Of of) {
  FittedLists lists;
  for (const ListParameter& parameter : model.lists) {
    if (of == Of::kQuery && parameter.scope == Scope::kShared) continue;
    FittedList list{list_from_json(json, parameter), {}};
    if (list.values.empty()) continue;
    list.unidentified = entries_from_json(json, parameter, list.values.size());
    lists.emplace(parameter.name, std::move(list));
  }
  return lists;
}

// Names of the item's probabilities.
std::vector<std::string> unidentified_of(const ClickModel& model, const ordered_json& json) {
  std::vector<std::string> names;
  if (!fields::has(json, "unidentified")) return names;
  for (const ordered_json& name : fields::array(json, "unidentified")) {
    const std::string text = name.is_string() ? name.get<std::string>() : "";
    if (!has_probability(model, text)) {
      throw InputError(
          fmt::format("\"unidentified\": {} is not a probability of an item", name.dump()));
    }
    names.push_back(text);
  }
  return names;
}

std::optional<Interval> interval_of(const ordered_json& json) {
  if (!fields::has(json, "interval")) return std::nullopt;
  const auto ends = fields::numbers(json, "interval", fields::kProbability, 2);
  if (ends[0] > ends[1]) throw InputError("\"interval\" ends before it begins");
  return Interval{ends[0], ends[1]};
}

FittedItem item_of(const ClickModel& model, const ordered_json& json) {
  FittedItem item;
  item.item = id(json, "item");
  item.attraction = fields::number(json, "attraction", fields::kProbability);
  item.shown = count(json, "shown");
  item.clicked = count(json, "clicked");
  if (fields::has(json, "shown")) check_counts(item);
  item.impressions = count(json, "impressions");
  for (const ItemParameter& name : model.items) {
    item.parameters.push_back(fields::number(json, name, fields::kProbability));
  }
  item.unidentified = unidentified_of(model, json);
  item.interval = interval_of(json);
  return item;
}

FittedQuery query_of(const ClickModel& model, const ordered_json& json) {
  FittedQuery query;
  query.query = id(json, "query");
  query.impressions = count(json, "impressions");
  std::unordered_set<std::string> seen;
  for (const ordered_json& item : fields::array(json, "items")) {
    query.items.push_back(item_of(model, item));
    if (!seen.insert(query.items.back().item).second) {
      throw InputError(fmt::format("query {} has item {} twice", quote(query.query),
                                   quote(query.items.back().item)));
    }
  }
  query.lists = lists_of(model, json, Of::kQuery);
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
    throw InputError(
        fmt::format("the file is a {}, not a model", quote(fields::string(json, "format"))));
  }
  if (fields::has(json, "version") && fields::number(json, "version", fields::kAny) != 1) {
    throw InputError("the file is of a later version");
  }
}

FittedModel read_json(const ordered_json& json) {
  FittedModel model;
  if (!json.is_object()) throw InputError("not a JSON object");
  check_version(json);
  const ClickModel& declared = click_model(fields::string(json, "model"), "\"model\"");
  model.model = declared.name;
  model.method = fields::string(json, "method");
  model.positions = fields::whole_number(json, "positions", 1, kMaxPositions);
  model.prior = prior_of(json);
  for (const auto& query : fields::array(json, "queries")) {
    model.queries.push_back(query_of(declared, query));
  }
  model.lists = lists_of(declared, json, Of::kModel);
  model.em = em_of(json);
  if (fields::has(json, "log")) model.log = log_from_json(fields::object(json, "log"));
  return model;
}

// What is wrong with a file begins with its name.
template <class Read>
FittedModel from_source(const std::string& source, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace

FittedModel model_from_json(const ordered_json& json, const std::string& source) {
  return from_source(source, [&] {
    FittedModel model = read_json(json);
    check_model(click_model(model.model, "\"model\""), model);
    return model;
  });
}

FittedModel parse_model_head(std::string_view json, const std::string& source) {
  const ordered_json parsed = parse_json(json, source);
  return from_source(source, [&] {
    FittedModel model = read_json(parsed);
    if (!model.queries.empty()) throw InputError("\"queries\" is not empty");
    check_shared_lists(click_model(model.model, "\"model\""), model);
    return model;
  });
}

void refuse_logs(std::string_view text, const std::string& source, std::string_view what) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] == '{') return;
  throw InputError(fmt::format("{}: not {}; of a log, 'dcmrank fit' makes one", source, what));
}

FittedModel parse_model(std::string_view text, const std::string& source) {
  if (is_compact(text)) return CompactModel(text, source).model();
  refuse_logs(text, source, "a model");
  return model_from_json(parse_json(text, source), source);
}

FittedModel read_model(const std::string& path) {
  return parse_model(MappedFile(path).bytes(), path);
}

}  // namespace dcmrank
