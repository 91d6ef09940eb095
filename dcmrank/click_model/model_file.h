#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/fit/fitted.h"
#include "dcmrank/model/dcm.h"

namespace dcmrank {

/// A model as MODEL.json holds it (docs/formats-logs.md), one item per line.
std::string print_model(const FittedModel& model);

/// Throws InputError naming the source and the value at fault.
FittedModel parse_model(std::string_view json, const std::string& source);
FittedModel model_from_json(const nlohmann::ordered_json& json, const std::string& source);
FittedModel read_model(const std::string& path);

/// The query of that name; an empty one is right where the model has but one. Throws InputError.
const FittedQuery& find_query(const FittedModel& model, const std::string& query,
                              const std::string& source);

/// The DCM of one query: its items in the order of the file. Its lists have as many positions as
/// the query's in the log, but no more than it has items. Throws InputError where the model is not
/// a DCM or has no such query; `query` may be empty if the model has only one.
Dcm dcm_of(const FittedModel& model, const std::string& query, const std::string& source);

/// A problem as a model of one query, "1", with items "1", "2", ..., "L".
FittedModel model_of(const Dcm& dcm);

}  // namespace dcmrank
