#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/users/model_case.h"
#include "dcmrank/users/problem.h"

namespace dcmrank {

/// As a problem. Throws InputError, naming the entry at fault, if the case is not one.
Problem model_problem(ModelCase model_case);

/// A problem file of a click model that is not a DCM: "attraction", the model's parameters by their
/// names, and "positions" where no list tells how many there are.
Problem model_problem_from_json(const ClickModel& model, const nlohmann::ordered_json& json);

/// Users of a click model as a model of one query, by the problem's names, or "1" with items "1",
/// "2", ... where it has none. Throws InputError for users of other kinds.
FittedModel model_of(const Problem& problem);

/// One query of a fitted model, as dcm_of() in model_file.h.
Problem model_problem_of_query(const FittedModel& fitted, const std::string& query,
                               const std::string& source);

}  // namespace dcmrank
