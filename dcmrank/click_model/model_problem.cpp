#include <algorithm>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/model_file.h"

namespace dcmrank {

const FittedQuery& find_query(const FittedModel& model, const std::string& query,
                              const std::string& source) {
  if (query.empty() && model.queries.size() == 1) return model.queries.front();
  if (query.empty()) {
    throw InputError(fmt::format("{} is a model of {} queries: choose one with --query", source,
                                 model.queries.size()));
  }
  std::vector<std::string> names;
  for (const FittedQuery& candidate : model.queries) {
    if (candidate.query == query) return candidate;
    if (names.size() < 1000) names.push_back(candidate.query);
  }
  throw InputError(
      fmt::format("{} has no query {}{}", source, quote(query), suggestion(query, names)));
}

Dcm dcm_of(const FittedModel& model, const std::string& query, const std::string& source) {
  if (model.model != "dcm") {
    throw InputError(fmt::format("{} is a model {}, not a DCM", source, quote(model.model)));
  }
  const FittedQuery& chosen = find_query(model, query, source);
  Dcm dcm;
  for (const FittedItem& item : chosen.items) dcm.attraction.push_back(item.attraction);
  dcm.termination = find_list(model, chosen, "termination").values;
  dcm.termination.resize(std::min(dcm.positions(), dcm.items()));
  try {
    check(dcm);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}, query {}: {}", source, quote(chosen.query), error.what()));
  }
  return dcm;
}

FittedModel model_of(const Dcm& dcm) {
  FittedModel model;
  model.model = "dcm";
  model.method = "problem";
  model.positions = dcm.positions();
  FittedQuery query{"1", 1, {}, {{"termination", {dcm.termination, {}}}}};
  for (std::size_t e = 0; e < dcm.items(); ++e) {
    query.items.push_back({fmt::format("{}", e + 1), dcm.attraction[e], 0, 0, 0, {}});
  }
  model.queries.push_back(std::move(query));
  return model;
}

}  // namespace dcmrank
