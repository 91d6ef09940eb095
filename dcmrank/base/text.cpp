#include "dcmrank/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/utf8.h"

namespace dcmrank {
namespace {

template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

// Levenshtein's distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> parse_double(std::string_view text) { return parse<double>(text); }

std::optional<unsigned long long> parse_unsigned(std::string_view text) {
  return parse<unsigned long long>(text);
}

// 1e18 or 1.5e17, exactly: a double would round the last digits of such numbers.
std::optional<std::uint64_t> parse_with_exponent(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return std::nullopt;
  std::string_view power = text.substr(e + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  const auto exponent = parse_unsigned(power);
  std::string digits(text.substr(0, e));
  const std::size_t point = digits.find('.');
  std::size_t decimals = 0;
  if (point != std::string::npos) {
    digits.erase(point, 1);
    decimals = digits.size() - point;
  }
  constexpr unsigned kMostDigits = 20;  // of 64 bits
  if (digits.empty() || !exponent || *exponent < decimals || *exponent - decimals > kMostDigits)
    return std::nullopt;
  digits.append(*exponent - decimals, '0');
  const auto value = parse_unsigned(digits);
  return value ? std::optional<std::uint64_t>(*value) : std::nullopt;
}

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  if (const auto exact = parse_unsigned(text)) return *exact;
  if (const auto exact = parse_with_exponent(text)) return *exact;
  const auto value = parse_double(text);
  const bool whole = value && *value >= 0 && *value <= 0x1p53 && std::floor(*value) == *value;
  return whole ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? "" : fmt::format(" (did you mean '{}'?)", *nearest);
}

std::string quote(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::size_t shown = 0;
  while (shown < std::min(text.size(), kMost)) {
    shown += std::max<std::size_t>(character_at(text, shown), 1);
  }
  return fmt::format("'{}{}'", printable(text.substr(0, shown)), shown < text.size() ? "..." : "");
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.size() != 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && !(c >= 'a' && c <= 'f')) return std::nullopt;
    value = value << 4U | static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
  }
  return value;
}

std::string how_many(std::uint64_t n, std::string_view thing, std::string_view plural) {
  if (n == 1) return fmt::format("1 {}", thing);
  return plural.empty() ? fmt::format("{} {}s", n, thing) : fmt::format("{} {}", n, plural);
}

}  // namespace dcmrank
