#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/fitted.h"
#include "dcmrank/model/dcm.h"

namespace dcmrank {

/// A model as MODEL.json holds it (docs/formats-logs.md), one item per line.
std::string print_model(const FittedModel& model);

/// The same in pieces: the head, whose queries are not looked at, each query, the end.
std::string print_model_begin(const FittedModel& head);
void print_model_query(const ClickModel& model, const FittedQuery& query, bool first,
                       std::string& out);
inline constexpr std::string_view kModelEnd = "\n  ]\n}\n";

/// All but the queries, of which there are none, for files that hold these otherwise.
std::string print_model_head(const FittedModel& head);
FittedModel parse_model_head(std::string_view json, const std::string& source);

/// Throws InputError where the text begins as no JSON object does: a log, mostly, which is given
/// for `what`.
void refuse_logs(std::string_view text, const std::string& source, std::string_view what);

/// From JSON, or a compact model. Throws InputError naming the source and the value at fault.
FittedModel parse_model(std::string_view text, const std::string& source);
FittedModel model_from_json(const nlohmann::ordered_json& json, const std::string& source);
FittedModel read_model(const std::string& path);

/// A model in which find_query will find this query: of a compact one, no other is read. Throws
/// InputError as find_query.
FittedModel read_model(const std::string& path, const std::string& query);

/// The query of that name; it may be empty if the model has only one. Throws InputError.
const FittedQuery& find_query(const FittedModel& model, const std::string& query,
                              const std::string& source);

/// The DCM of one query: its items in the order of the file. Its lists have as many positions as
/// the query's in the log, but no more than it has items. Throws InputError if the model is not
/// a DCM or has no such query; `query` may be empty if the model has only one.
Dcm dcm_of(const FittedModel& model, const std::string& query, const std::string& source);

/// A problem as a model of one query, "1", with items "1", "2", ..., "L".
FittedModel model_of(const Dcm& dcm);

}  // namespace dcmrank
