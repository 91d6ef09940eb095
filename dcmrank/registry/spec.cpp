#include "dcmrank/registry/spec.h"

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {
namespace {

void parse_options(std::string_view text, PolicySpec& spec) {
  std::string* value = nullptr;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos && value != nullptr) {
      *value += ',';
      *value += part;
      continue;
    }
    if (equals == std::string_view::npos || equals == 0) {
      throw InputError(
          fmt::format("policy {}: {} is not of the form key=value", quote(spec.text), quote(part)));
    }
    const auto [entry, added] =
        spec.options.emplace(part.substr(0, equals), part.substr(equals + 1));
    if (!added) {
      throw InputError(fmt::format("policy {}: option {} is given twice", quote(spec.text),
                                   quote(entry->first)));
    }
    value = &entry->second;
  }
}

}  // namespace

PolicySpec parse_policy_spec(std::string_view text) {
  const std::size_t colon = text.find(':');
  PolicySpec spec{std::string(text), std::string(text.substr(0, colon)), {}};
  if (spec.name.empty()) throw InputError(fmt::format("policy {} has no name", quote(text)));
  if (colon != std::string_view::npos) parse_options(text.substr(colon + 1), spec);
  return spec;
}

}  // namespace dcmrank
