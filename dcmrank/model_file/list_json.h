#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/click_model/parameter.h"

namespace dcmrank {

/// The values of a list as files hold them: an array; of a triangle an array of its rows; of a
/// single number (ListShape::kNumbers of 1) the number.
nlohmann::ordered_json list_to_json(const ListParameter& list, const std::vector<double>& values);

/// The member that has the list's name; empty if it is absent. Throws InputError, naming the
/// member, unless it has the list's shape and holds probabilities of at most kMaxPositions
/// positions.
std::vector<double> list_from_json(const nlohmann::ordered_json& json, const ListParameter& list);

/// Entries of a list, counted from 1, as files hold them: numbers, of a triangle pairs (row, place
/// in the row).
nlohmann::ordered_json entries_to_json(const ListParameter& list,
                                       const std::vector<std::size_t>& entries);

/// The member of that name; none if it is absent. Throws InputError, naming the member, unless
/// it holds entries of a list that has `size` of them.
std::vector<std::size_t> entries_from_json(const nlohmann::ordered_json& json,
                                           const ListParameter& list, std::size_t size);

/// The position of entry n (of plain numbers n itself) and, of a triangle, its place in the row of
/// that position: how far above the last click is, the position itself for none. From 1.
std::pair<std::size_t, std::size_t> place_of_entry(const ListParameter& list, std::size_t n);

/// Some entries, counted from 1, of a list that has `size` of them, for people: "position 10",
/// "alpha1, alpha3", "position 5 with the last click 2 above"; of many the first and how many more
/// there are, or "all but" the few others. Nothing for none.
std::string entries_text(const ListParameter& list, const std::vector<std::size_t>& chosen,
                         std::size_t size);
/// The same with the list's name: "termination at position 10", "alpha1, alpha3".
std::string named_entries_text(const ListParameter& list, const std::vector<std::size_t>& chosen,
                               std::size_t size);

}  // namespace dcmrank
