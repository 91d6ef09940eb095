#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dcmrank/service/options.h"

namespace dcmrank::configuration {

/// Where the value of an option goes, and what it may be.
struct Text {
  std::string* to;
  std::string_view type;  // as --help calls it
  std::string_view demand = "a text";
  bool (*accepts)(std::string_view) = nullptr;  // nothing: any text
};
struct Count {
  std::size_t* to;
  std::uint64_t least = 1;
  std::uint64_t most = std::uint64_t{1} << 40U;
};
struct Size {  // in bytes, or as a text such as 64MiB
  std::size_t* to;
  std::uint64_t least = 1;
  std::uint64_t most = std::uint64_t{1} << 40U;
};
struct Time {
  std::int64_t* to;  // milliseconds
};

/// One option of `dcmrank serve`: the flag --max-body, the variable DCMRANK_MAX_BODY and the line
/// max_body of a configuration file are all made from its name.
struct Option {
  std::string_view name;
  std::string_view help;
  std::variant<Text, Count, Size, Time> value;
  std::string_view former{};  // another name of its flag and its variable
};

/// All options. This is the one place that lists them; their defaults are what `options` holds.
std::vector<Option> option_table(service::ServiceOptions& options);

std::string flag_of(const Option& option);      // --max-body
std::string variable_of(const Option& option);  // DCMRANK_MAX_BODY
/// The same of its other name; empty where it has none.
std::string former_variable_of(const Option& option);
std::string line_of(const Option& option);  // max_body

/// What --help calls a value, and what a value must be.
std::string_view type_of(const Option& option);
std::string demand_of(const Option& option);

/// Takes a value. Throws InputError beginning with `what`, the name by which the user gave it.
void set_text(const Option& option, std::string_view text, const std::string& what);
void set_number(const Option& option, std::int64_t number, const std::string& what);

/// The value as set_text() takes it, and as a configuration file has it. The latter throws
/// InputError where no such file can hold it.
std::string print_text(const Option& option);
std::string print_toml(const Option& option);
/// A text in the quotes of TOML.
std::string toml_quote(std::string_view text);

}  // namespace dcmrank::configuration
