#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dcmrank {

std::vector<std::string_view> split(std::string_view text, char separator);

/// The whole text as a number, in the C locale; nothing if it is not one.
std::optional<double> parse_double(std::string_view text);
std::optional<unsigned long long> parse_unsigned(std::string_view text);

/// A whole number up to 2^64 - 1, which may be written as 1e5 or 1.5e18.
std::optional<std::uint64_t> parse_whole(std::string_view text);

/// The number written as 16 lowercase hexadecimal digits.
std::optional<std::uint64_t> parse_hex(std::string_view text);

/// " (did you mean 'x'?)" with the candidate that is fewest edits from `word`, or "" if none is
/// close.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

/// The text in quotes for a one-line message: control characters escaped, cut if very long.
std::string quote(std::string_view text);

/// "1 page", "2 pages"; `plural` where it is not made by an s.
std::string how_many(std::uint64_t n, std::string_view thing, std::string_view plural = {});

}  // namespace dcmrank
