#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcmrank/toml/toml.h"

namespace dcmrank {

/// What a field of a sweep file may be: one value, a list of values, or a range: { from = 1, to =
/// 5, by = 2 } or { from = 0.1, to = 0.9, count = 5 }. Each throws InputError that says where.

struct Limits {
  double least;
  double most;
};

std::vector<double> numbers_of(const TomlValue& value, const Limits& limits);
/// Numbers that are whole; 1e5 is one.
std::vector<std::uint64_t> counts_of(const TomlValue& value, std::uint64_t least,
                                     std::uint64_t most);
std::vector<std::string> texts_of(const TomlValue& value);
std::uint64_t count_of(const TomlValue& value, std::uint64_t least, std::uint64_t most);

/// Throws InputError if the table has a member that is not one of the known ones.
void check_members(const TomlValue& table, const std::vector<std::string>& known,
                   const std::string& what);

}  // namespace dcmrank
