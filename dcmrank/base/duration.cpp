#include "dcmrank/base/duration.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"

namespace dcmrank {
namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};

constexpr std::int64_t kLongest = 3650LL * 86'400'000;

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_unsigned(text.substr(0, digits));
  if (!number || *number == 0 || *number > 1'000'000'000) return std::nullopt;
  for (const auto& [name, unit] : kUnits) {
    if (text.substr(digits) != name) continue;
    const std::int64_t result = static_cast<std::int64_t>(*number) * unit;
    return result <= kLongest ? std::optional(result) : std::nullopt;
  }
  return std::nullopt;
}

std::string duration_demand() {
  return fmt::format("a time such as 30m, 45s or 2h, at most {}", print_duration(kLongest));
}

std::string print_duration(std::int64_t milliseconds) {
  for (const auto& [name, unit] : kUnits) {
    if (milliseconds % unit == 0) return fmt::format("{}{}", milliseconds / unit, name);
  }
  return "";
}

}  // namespace dcmrank
