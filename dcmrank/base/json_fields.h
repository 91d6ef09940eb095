#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// Readers for JSON that others may have written: each throws InputError that names the field and
/// its value. The caller puts the source of the JSON before it.
namespace dcmrank::fields {

/// The range of a number, both ends included.
struct Bounds {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
};
inline constexpr Bounds kAny{};  // finite
inline constexpr Bounds kAtLeastZero{0};
inline constexpr Bounds kProbability{0, 1};
inline constexpr Bounds kCount{0, 0x1p53};  // what a double counts exactly

/// Whether `json` is an object that has the member; null counts as absent.
bool has(const nlohmann::ordered_json& json, std::string_view name);

/// The member `name` of an object.
const nlohmann::ordered_json& member(const nlohmann::ordered_json& json, std::string_view name);
const nlohmann::ordered_json& object(const nlohmann::ordered_json& json, std::string_view name);
const nlohmann::ordered_json& array(const nlohmann::ordered_json& json, std::string_view name);
const nlohmann::ordered_json& array(const nlohmann::ordered_json& json, std::string_view name,
                                    std::size_t size);
std::string string(const nlohmann::ordered_json& json, std::string_view name);
bool boolean(const nlohmann::ordered_json& json, std::string_view name);
double number(const nlohmann::ordered_json& json, std::string_view name, const Bounds& bounds);
/// A whole number; 4.0 is one.
std::uint64_t whole_number(const nlohmann::ordered_json& json, std::string_view name,
                           std::uint64_t least, std::uint64_t most);
/// All numbers of an array. The message says which one is wrong, counted from 0.
std::vector<double> numbers(const nlohmann::ordered_json& json, std::string_view name,
                            const Bounds& bounds);
std::vector<double> numbers(const nlohmann::ordered_json& json, std::string_view name,
                            const Bounds& bounds, std::size_t size);
std::vector<std::uint64_t> whole_numbers(const nlohmann::ordered_json& json, std::string_view name,
                                         std::uint64_t least, std::uint64_t most);

/// A value by itself; the message calls it `what`.
double to_number(const nlohmann::ordered_json& value, std::string_view what, const Bounds& bounds);
std::uint64_t to_whole_number(const nlohmann::ordered_json& value, std::string_view what,
                              std::uint64_t least, std::uint64_t most);

}  // namespace dcmrank::fields
