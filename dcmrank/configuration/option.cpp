#include "dcmrank/configuration/option.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/duration.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"

namespace dcmrank::configuration {
namespace {

// One function for each kind of option.
template <class... Kinds>
struct Each : Kinds... {
  using Kinds::operator()...;
};
template <class... Kinds>
Each(Kinds...) -> Each<Kinds...>;

std::string underscored(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

std::string variable_named(std::string_view name) {
  std::string text = "DCMRANK_" + underscored(name);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Bytes, as a number or with a unit: 64MiB.
std::optional<std::uint64_t> parse_size(std::string_view text, std::uint64_t most) {
  constexpr std::array<std::pair<std::string_view, unsigned>, 3> kUnits{
      {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}}};
  unsigned shift = 0;
  for (const auto& [unit, bits] : kUnits) {
    if (shift != 0 || !text.ends_with(unit)) continue;
    text.remove_suffix(unit.size());
    if (text.ends_with(' ')) text.remove_suffix(1);
    shift = bits;
  }
  const auto number = parse_whole(text);
  if (!number || *number > most >> shift) return std::nullopt;
  return *number << shift;
}

}  // namespace

std::string flag_of(const Option& option) { return fmt::format("--{}", option.name); }

std::string line_of(const Option& option) { return underscored(option.name); }

std::string variable_of(const Option& option) { return variable_named(option.name); }

std::string former_variable_of(const Option& option) {
  return option.former.empty() ? "" : variable_named(option.former);
}

std::string_view type_of(const Option& option) {
  return std::visit(Each{[](const Text& text) { return text.type; },
                         [](const Count&) { return std::string_view("N"); },
                         [](const Size&) { return std::string_view("SIZE"); },
                         [](const Time&) { return std::string_view("TIME"); }},
                    option.value);
}

std::string demand_of(const Option& option) {
  return std::visit(
      Each{[](const Text& text) { return std::string(text.demand); },
           [](const Count& count) {
             return fmt::format("a whole number from {} to {}", count.least, count.most);
           },
           [](const Size& size) {
             return fmt::format("a whole number from {} to {}, or a size such as 64MiB", size.least,
                                size.most);
           },
           [](const Time&) { return duration_demand(); }},
      option.value);
}

void set_text(const Option& option, std::string_view text, const std::string& what) {
  const auto refuse = [&] {
    throw InputError(fmt::format("{} is {}, not {}", what, quote(text), demand_of(option)));
  };
  std::visit(Each{[&](const Text& place) {
                    if (has_control_characters(text)) {
                      throw InputError(fmt::format("{} is {}: control characters are not allowed",
                                                   what, quote(text)));
                    }
                    if (place.accepts != nullptr && !place.accepts(text)) refuse();
                    *place.to = text;
                  },
                  [&](const Count& place) {
                    const auto value = parse_whole(text);
                    if (!value || *value < place.least || *value > place.most) refuse();
                    *place.to = *value;
                  },
                  [&](const Size& place) {
                    const auto value = parse_size(text, place.most);
                    if (!value || *value < place.least) refuse();
                    *place.to = *value;
                  },
                  [&](const Time& place) {
                    const auto value = parse_duration(text);
                    if (!value) refuse();
                    *place.to = *value;
                  }},
             option.value);
}

void set_number(const Option& option, std::int64_t number, const std::string& what) {
  const auto refuse = [&] {
    throw InputError(fmt::format("{} is {}, not {}", what, number, demand_of(option)));
  };
  const auto take = [&](const auto& place) {
    const auto value = static_cast<std::uint64_t>(number);
    if (number < 0 || value < place.least || value > place.most) refuse();
    *place.to = value;
  };
  std::visit(Each{[&](const Text&) { refuse(); }, [&](const Count& count) { take(count); },
                  [&](const Size& size) { take(size); }, [&](const Time&) { refuse(); }},
             option.value);
}

std::string print_text(const Option& option) {
  return std::visit(Each{[](const Text& text) { return *text.to; },
                         [](const Count& count) { return std::to_string(*count.to); },
                         [](const Size& size) { return std::to_string(*size.to); },
                         [](const Time& time) { return print_duration(*time.to); }},
                    option.value);
}

std::string print_toml(const Option& option) {
  std::string text = print_text(option);
  const bool is_number =
      std::holds_alternative<Count>(option.value) || std::holds_alternative<Size>(option.value);
  if (is_number) return text;
  if (!is_utf8(text)) {
    throw InputError(fmt::format("{} is {}, which is not UTF-8: no TOML file can hold it",
                                 flag_of(option), quote(text)));
  }
  return toml_quote(text);
}

std::string toml_quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace dcmrank::configuration
