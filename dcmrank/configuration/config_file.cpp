#include "dcmrank/configuration/config_file.h"

#include <optional>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/toml/toml.h"

namespace dcmrank::configuration {
namespace {

void read_scopes(service::KeyEntry& entry, const TomlValue& value) {
  constexpr std::string_view kDemand = R"(a list such as ["rank", "feedback"])";
  const TomlValue::Array& scopes = value.array(kDemand);
  if (scopes.empty()) value.refuse(kDemand);
  for (TomlValue scope : scopes) {
    scope.name = "a scope";
    service::read_scope(entry, scope.text(), scope.where);
  }
}

// The moment of a date (where its day begins, UTC), or of a date and time with its offset.
std::optional<std::int64_t> moment_of(const TomlValue& value) {
  const auto* moment = value.as<TomlMoment>();
  if (moment == nullptr || (moment->has_time && !moment->offset)) return std::nullopt;
  const auto day = service::day_start(moment->year, moment->month, moment->day);
  if (!day) return std::nullopt;
  return *day + moment->seconds - std::int64_t{moment->offset.value_or(0)} * 60;
}

std::optional<std::uint64_t> count_of(const TomlValue& value) {
  const auto* number = value.as<std::int64_t>();
  if (number == nullptr || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

const std::vector<std::string>& key_fields() {
  static const std::vector<std::string> fields{"hash",    "scopes", "model", "name",
                                               "expires", "rate",   "burst", "held"};
  return fields;
}

void read_field(service::KeyEntry& entry, const TomlValue& value) {
  const std::string& name = value.name;
  if (name == "hash") {
    service::read_hash(entry, value.text(), value.where);
  } else if (name == "scopes") {
    read_scopes(entry, value);
  } else if (name == "model") {
    service::read_model(entry, value.text(), value.where);
  } else if (name == "name") {
    service::read_name(entry, value.text(), value.where);
  } else if (name == "expires") {
    service::read_expiry(entry, moment_of(value), value.where);
  } else if (name == "rate" || name == "burst" || name == "held") {
    service::read_limit(entry, name, count_of(value), value.where);
  } else {
    throw InputError(
        fmt::format("{}: a key has no field {}{}; options go before the first [[keys]]",
                    value.where, quote(name), suggestion(name, key_fields())));
  }
}

service::KeyEntry read_key(const TomlValue& key) {
  service::KeyEntry entry;
  entry.where = key.where;
  for (const TomlMember& member : key.table()) read_field(entry, member.value);
  for (const char* needed : {"hash", "scopes", "model"}) {
    if (key.find(needed) == nullptr) {
      throw InputError(fmt::format("{}: the key has no {}", entry.where, needed));
    }
  }
  return entry;
}

// An empty list is refused: it would open the service to everybody.
std::vector<service::KeyEntry> read_keys(const TomlValue& value) {
  constexpr std::string_view kDemand = "one or more tables [[keys]]; a file of them is keys_file";
  const TomlValue::Array& list = value.array(kDemand);
  if (list.empty()) value.refuse(kDemand);
  std::vector<service::KeyEntry> entries;
  for (TomlValue one : list) {
    one.name = "a key";
    entries.push_back(read_key(one));
  }
  return entries;
}

Line read_line(const TomlValue& value) {
  Line line{value.name, OtherType{value.type_name()}, value.line, value.where};
  if (const auto* text = value.as<std::string>()) line.value = *text;
  if (const auto* number = value.as<std::int64_t>()) line.value = *number;
  return line;
}

// Who gives a file of keys by the flag --keys writes `keys` here, and the parser finds fault with
// the first [[keys]] then.
TomlValue parse_lines(std::string_view text, const std::string& file) {
  try {
    return parse_toml(text, file);
  } catch (const InputError& error) {
    const std::string_view what = error.what();
    if (what.find("'keys'") == std::string_view::npos) throw;
    throw InputError(
        fmt::format("{}; keys are tables [[keys]], and a file of them is keys_file", what));
  }
}

}  // namespace

ConfigFile parse_config_file(std::string_view text, const std::string& file) {
  ConfigFile result;
  const TomlValue parsed = parse_lines(text, file);
  for (const TomlMember& member : parsed.table()) {
    if (member.name == "keys") {
      result.keys = read_keys(member.value);
    } else {
      result.lines.push_back(read_line(member.value));
    }
  }
  return result;
}

}  // namespace dcmrank::configuration
