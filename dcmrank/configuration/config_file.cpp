// The only source that knows the TOML library.
#include "dcmrank/configuration/config_file.h"

#include <array>
#include <optional>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank::configuration {
namespace {

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or a time";
  }
}

// Names the places of one file.
class Places {
 public:
  explicit Places(const std::string& file) : file_(&file) {}
  std::string of(const toml::source_position& at) const {
    return fmt::format("{}:{}:{}", *file_, at.line, at.column);
  }
  std::string of(const toml::node& node) const { return of(node.source().begin); }
  std::string of(const toml::key& key) const { return of(key.source().begin); }

 private:
  const std::string* file_;
};

[[noreturn]] void refuse_type(const std::string& where, std::string_view name,
                              const toml::node& node, std::string_view demand) {
  throw InputError(fmt::format("{}: {} is {}, not {}", where, name, type_name(node), demand));
}

const std::string& text_of(const std::string& where, std::string_view name,
                           const toml::node& node) {
  const auto* text = node.as_string();
  if (text == nullptr) refuse_type(where, name, node, "a text");
  return text->get();
}

void read_scopes(service::KeyEntry& entry, const toml::node& node, const std::string& where,
                 const Places& places) {
  const toml::array* scopes = node.as_array();
  if (scopes == nullptr || scopes->empty()) {
    refuse_type(where, "scopes", node, R"(a list such as ["rank", "feedback"])");
  }
  for (const toml::node& scope : *scopes) {
    service::read_scope(entry, text_of(places.of(scope), "a scope", scope), places.of(scope));
  }
}

// The moment of a date (where its day begins, UTC), or of a date and time with its offset.
std::optional<std::int64_t> moment_of(const toml::node& node) {
  const auto start = [](const toml::date& date) {
    return service::day_start(date.year, date.month, date.day);
  };
  if (const auto* date = node.as_date()) return start(date->get());
  const auto* both = node.as_date_time();
  if (both == nullptr || !both->get().offset) return std::nullopt;
  const toml::date_time& moment = both->get();
  const auto day = start(moment.date);
  if (!day) return std::nullopt;
  const int minutes = moment.time.hour * 60 + moment.time.minute - moment.offset->minutes;
  return *day + std::int64_t{minutes} * 60 + moment.time.second;
}

std::optional<std::uint64_t> count_of(const toml::node& node) {
  const auto* number = node.as_integer();
  if (number == nullptr || number->get() < 0) return std::nullopt;
  return static_cast<std::uint64_t>(number->get());
}

const std::vector<std::string>& key_fields() {
  static const std::vector<std::string> fields{"hash",    "scopes", "model", "name",
                                               "expires", "rate",   "burst", "held"};
  return fields;
}

void read_field(service::KeyEntry& entry, std::string_view name, const toml::node& node,
                const std::string& where, const Places& places) {
  if (name == "hash") {
    service::read_hash(entry, text_of(where, name, node), where);
  } else if (name == "scopes") {
    read_scopes(entry, node, where, places);
  } else if (name == "model") {
    service::read_model(entry, text_of(where, name, node), where);
  } else if (name == "name") {
    service::read_name(entry, text_of(where, name, node), where);
  } else if (name == "expires") {
    service::read_expiry(entry, moment_of(node), where);
  } else if (name == "rate" || name == "burst" || name == "held") {
    service::read_limit(entry, name, count_of(node), where);
  } else {
    throw InputError(
        fmt::format("{}: a key has no field {}{}; options stand before the first [[keys]]", where,
                    quote(name), suggestion(name, key_fields())));
  }
}

service::KeyEntry read_key(const toml::table& table, const Places& places) {
  service::KeyEntry entry;
  entry.where = places.of(table);
  for (const auto& [name, node] : table) {
    read_field(entry, name.str(), node, places.of(name), places);
  }
  for (const char* needed : {"hash", "scopes", "model"}) {
    if (!table.contains(needed)) {
      throw InputError(fmt::format("{}: the key has no {}", entry.where, needed));
    }
  }
  return entry;
}

// An empty list is refused: it would open the service to everybody.
std::vector<service::KeyEntry> read_keys(const toml::node& node, const std::string& where,
                                         const Places& places) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty()) {
    refuse_type(where, "keys", node, "one or more tables [[keys]]; a file of them is keys_file");
  }
  std::vector<service::KeyEntry> entries;
  for (const toml::node& one : *list) {
    if (!one.is_table()) refuse_type(places.of(one), "a key", one, "a table");
    entries.push_back(read_key(*one.as_table(), places));
  }
  return entries;
}

Line read_line(const toml::key& name, const toml::node& node, const Places& places) {
  Line line{std::string(name.str()), OtherType{type_name(node)}, name.source().begin.line,
            places.of(name)};
  if (const auto* text = node.as_string()) line.value = text->get();
  if (const auto* number = node.as_integer()) line.value = number->get();
  return line;
}

toml::table parse_toml(std::string_view text, const Places& places) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    std::string reason(error.description());
    for (char& c : reason) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    throw InputError(fmt::format("{}: {}", places.of(error.source().begin), reason));
  }
}

}  // namespace

ConfigFile parse_config_file(std::string_view text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InputError(fmt::format("{}:1:1: the file is empty", file));
  }
  const Places places(file);
  ConfigFile result;
  for (const auto& [name, node] : parse_toml(text, places)) {
    if (name.str() == "keys") {
      result.keys = read_keys(node, places.of(name), places);
    } else {
      result.lines.push_back(read_line(name, node, places));
    }
  }
  return result;
}

}  // namespace dcmrank::configuration
