// The only source that knows the TOML library.
#include "dcmrank/toml/toml.h"

#include <array>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/utf8.h"

namespace dcmrank {
namespace {

// Names the places of one file.
class Places {
 public:
  explicit Places(const std::string& file) : file_(&file) {}
  std::string of(const toml::source_position& at) const {
    return fmt::format("{}:{}:{}", *file_, at.line, at.column);
  }

 private:
  const std::string* file_;
};

TomlMoment moment_of(const toml::date& date) { return {date.year, date.month, date.day}; }

TomlMoment moment_of(const toml::date_time& both) {
  TomlMoment moment = moment_of(both.date);
  moment.has_time = true;
  moment.seconds = (both.time.hour * 60 + both.time.minute) * 60 + both.time.second;
  if (both.offset) moment.offset = both.offset->minutes;
  return moment;
}

TomlValue convert(const toml::node& node, const Places& places);

TomlValue::Array convert_array(const toml::array& array, const Places& places) {
  TomlValue::Array values;
  for (const toml::node& node : array) values.push_back(convert(node, places));
  return values;
}

TomlValue::Table convert_table(const toml::table& table, const Places& places) {
  TomlValue::Table members;
  for (const auto& [key, node] : table) {
    TomlMember member{std::string(key.str()), convert(node, places)};
    member.value.name = member.name;
    member.value.where = places.of(key.source().begin);
    member.value.line = key.source().begin.line;
    members.push_back(std::move(member));
  }
  return members;
}

TomlValue convert(const toml::node& node, const Places& places) {
  TomlValue result{TomlValue::Other{}, places.of(node.source().begin), "a value",
                   node.source().begin.line};
  if (const auto* text = node.as_string()) result.value = text->get();
  if (const auto* whole = node.as_integer()) result.value = whole->get();
  if (const auto* number = node.as_floating_point()) result.value = number->get();
  if (const auto* boolean = node.as_boolean()) result.value = boolean->get();
  if (const auto* date = node.as_date()) result.value = moment_of(date->get());
  if (const auto* both = node.as_date_time()) result.value = moment_of(both->get());
  if (const auto* array = node.as_array()) result.value = convert_array(*array, places);
  if (const auto* table = node.as_table()) result.value = convert_table(*table, places);
  return result;
}

toml::table parse(std::string_view text, const Places& places) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    std::string reason(error.description());
    for (char& c : reason) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    throw InputError(fmt::format("{}: {}", places.of(error.source().begin), printable(reason)));
  }
}

}  // namespace

std::string_view TomlValue::type_name() const {
  constexpr std::array<std::string_view, std::variant_size_v<decltype(value)>> kNames{
      "a text",   "a whole number", "a number with a fraction", "a boolean", "a date or a time",
      "an array", "a table",        "a date or a time"};
  return kNames[value.index()];
}

void TomlValue::refuse(std::string_view demand) const {
  throw InputError(fmt::format("{}: {} is {}, not {}", where, name, type_name(), demand));
}

const std::string& TomlValue::text(std::string_view demand) const {
  if (const auto* text = as<std::string>()) return *text;
  refuse(demand);
}

const TomlValue::Table& TomlValue::table(std::string_view demand) const {
  if (const auto* table = as<Table>()) return *table;
  refuse(demand);
}

const TomlValue::Array& TomlValue::array(std::string_view demand) const {
  if (const auto* array = as<Array>()) return *array;
  refuse(demand);
}

const TomlValue* TomlValue::find(std::string_view member) const {
  for (const TomlMember& one : table()) {
    if (one.name == member) return &one.value;
  }
  return nullptr;
}

TomlValue parse_toml(std::string_view text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InputError(fmt::format("{}:1:1: the file is empty", file));
  }
  const Places places(file);
  TomlValue result{convert_table(parse(text, places), places), fmt::format("{}:1:1", file),
                   "the file", 1};
  return result;
}

}  // namespace dcmrank
