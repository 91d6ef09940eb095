#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/model/dcm.h"

namespace dcmrank {

/// A problem as a user names it: `lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5` or the name of a JSON file
/// (docs/formats.md): a problem, or a model of which `query` names the query (empty where it has
/// but one). Throws InputError that names what is wrong and where.
Dcm read_problem(const std::string& spec, const std::string& query = "");

LowerBoundClass parse_lower_bound_class(std::string_view text);
Dcm parse_problem(std::string_view json, const std::string& source);
nlohmann::ordered_json problem_to_json(const Dcm& dcm);

}  // namespace dcmrank
