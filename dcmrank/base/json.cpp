#include "dcmrank/base/json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/utf8.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

// "what" of the library without its own prefix and position, which are said in our words.
std::string reason_of(const ordered_json::parse_error& error) {
  const std::string what = error.what();
  const std::size_t dash = what.find(" - ");
  return printable(dash != std::string::npos ? what.substr(dash + 3)
                                             : what.substr(what.find(": ") + 2));
}

bool is_flat(const ordered_json& json) {
  return std::none_of(json.begin(), json.end(), [](const auto& e) { return e.is_structured(); });
}

void print(const ordered_json& json, std::size_t depth, std::string& out) {
  const bool object = json.is_object();
  if (!json.is_structured() || json.empty() || (!object && is_flat(json))) {
    out += json.dump();
    return;
  }
  const std::string indent(2 * (depth + 1), ' ');
  out += object ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, value] : json.items()) {
    out += separator;
    out += indent;
    if (object) out += ordered_json(key).dump() + ": ";
    print(value, depth + 1, out);
    separator = ",\n";
  }
  out += '\n' + std::string(2 * depth, ' ');
  out += object ? '}' : ']';
}

}  // namespace

std::string_view json_reason(std::string_view message) {
  constexpr std::string_view kEnd = "] ";
  const std::size_t end = message.find(kEnd);
  if (!message.starts_with("[json.exception.") || end == std::string_view::npos) return message;
  return message.substr(end + kEnd.size());
}

ordered_json parse_json(std::string_view text, const std::string& source) {
  if (text.empty()) throw InputError(source + ": line 1, byte 1: unexpected end: it is empty");
  if (text.starts_with("dcmrank.")) {  // as files of ours begin that are no JSON
    throw InputError(fmt::format("{}: line 1, byte 1: not JSON, but another file of dcmrank ({})",
                                 source, printable(text.substr(0, text.find_first_of("\t\r\n ")))));
  }
  try {
    return ordered_json::parse(text);
  } catch (const ordered_json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    throw InputError(
        fmt::format("{}: line {}, byte {}: {}", source, line, error.byte, reason_of(error)));
  } catch (const ordered_json::out_of_range& error) {  // "… parsing '1e400'"
    const std::string_view what = error.what();
    throw InputError(
        fmt::format("{}: a number is too large: {}", source,
                    what.substr(what.find('\'') + 1, what.rfind('\'') - what.find('\'') - 1)));
  } catch (const ordered_json::exception& error) {
    throw InputError(fmt::format("{}: {}", source, json_reason(error.what())));
  }
}

std::string print_json(const ordered_json& json) {
  std::string out;
  print(json, 0, out);
  out += '\n';
  return out;
}

}  // namespace dcmrank
