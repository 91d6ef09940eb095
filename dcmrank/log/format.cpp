#include "dcmrank/log/format.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {

std::span<const LogFormat* const> log_formats() {
  static constexpr std::array kFormats{&kYandex2011, &kYandex2014, &kTsv};
  return kFormats;
}

const LogFormat& log_format(const std::string& name) {
  std::vector<std::string> names;
  for (const LogFormat* format : log_formats()) {
    if (name == format->name) return *format;
    names.emplace_back(format->name);
  }
  throw InputError(fmt::format("--format is {}, not one of {}{}", quote(name),
                               fmt::join(names, ", "), suggestion(name, names)));
}

}  // namespace dcmrank
