#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/click_model/parameter.h"

namespace dcmrank {

/// The values of a list as files hold them: an array; of a triangle an array of its rows; of a
/// single number (ListShape::kNumbers of 1) the number.
nlohmann::ordered_json list_to_json(const ListParameter& list, const std::vector<double>& values);

/// The member that has the list's name; empty where it is absent. Throws InputError, naming the
/// member, unless it has the list's shape and holds probabilities of at most kMaxPositions
/// positions.
std::vector<double> list_from_json(const nlohmann::ordered_json& json, const ListParameter& list);

}  // namespace dcmrank
