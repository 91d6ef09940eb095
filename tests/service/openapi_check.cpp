// The part of JSON Schema that openapi.json uses.
#include "openapi_check.h"

#include <sstream>
#include <vector>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/service/openapi.h"

namespace dcmrank::testing {
namespace {

using nlohmann::json;

const json& document() {
  static const json parsed = json::parse(service::openapi_document());
  return parsed;
}

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts;
  std::istringstream stream(path.substr(0, path.find('?')));
  for (std::string part; std::getline(stream, part, '/');) parts.push_back(part);
  return parts;
}

const json* find_path(const std::string& path) {
  const auto asked = split_path(path);
  for (const auto& [pattern, item] : document().at("paths").items()) {
    const auto parts = split_path(pattern);
    bool same = parts.size() == asked.size();
    for (std::size_t n = 0; same && n < parts.size(); ++n) {
      same = parts[n] == asked[n] || (parts[n].starts_with("{") && !asked[n].empty());
    }
    if (same) return &item;
  }
  return nullptr;
}

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return false;
}

std::string check(const json& value, const json& schema, const std::string& where) {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"];
    return check(value, document().at(json::json_pointer(name.substr(1))), where);
  }
  if (schema.contains("type") && !has_type(value, schema["type"])) {
    return where + " is not of type " + schema["type"].get<std::string>();
  }
  if (schema.contains("enum")) {
    bool found = false;
    for (const json& one : schema["enum"]) found = found || one == value;
    if (!found) return where + " is " + value.dump() + ", which is not listed";
  }
  if (schema.contains("minimum") && value < schema["minimum"]) return where + " is too small";
  if (schema.contains("maximum") && value > schema["maximum"]) return where + " is too large";
  for (const json& name : schema.value("required", json::array())) {
    if (!value.contains(name)) return where + " lacks " + name.get<std::string>();
  }
  if (value.is_object()) {
    const json properties = schema.value("properties", json::object());
    for (const auto& [name, member] : value.items()) {
      if (!properties.contains(name)) return where + " has " + name + ", which is not described";
      if (auto bad = check(member, properties[name], where + "." + name); !bad.empty()) return bad;
    }
  }
  if (value.is_array() && schema.contains("items")) {
    for (const json& member : value) {
      if (auto bad = check(member, schema["items"], where + "[]"); !bad.empty()) return bad;
    }
  }
  return "";
}

}  // namespace

std::string differs_from_openapi(const std::string& method, const std::string& path,
                                 const HttpAnswer& answer) {
  // Answers are the same in every build; with a sanitizer this would be most of what a test does.
  if (effort(false, true)) return "";
  const json* item = find_path(path);
  const bool error = answer.status >= 400;
  std::string verb = method;
  for (char& c : verb) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (item == nullptr || !item->contains(verb)) {
    if (answer.status == 404 || answer.status == 405 || answer.status == 501) return "";
    if (answer.status == 401) return "";
    return method + " " + path + " is not described";
  }
  const json& responses = (*item)[verb].at("responses");
  const std::string status = std::to_string(answer.status);
  if (!responses.contains(status) && !(error && responses.contains("default"))) {
    return method + " " + path + " does not describe status " + status;
  }
  json response = responses.contains(status) ? responses[status] : responses["default"];
  if (response.contains("$ref")) {
    response = document().at(json::json_pointer(response["$ref"].get<std::string>().substr(1)));
  }
  std::string type =
      answer.headers.contains("content-type") ? answer.headers.at("content-type") : "";
  type = type.substr(0, type.find(';'));
  if (!response.at("content").contains(type)) return path + " does not describe " + type;
  if (type != "application/json") return "";
  const json& media = response["content"][type];
  if (!media.contains("schema")) return "";
  return check(answer.json(), media["schema"], method + " " + path);
}

}  // namespace dcmrank::testing
