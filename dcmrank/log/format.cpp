#include "dcmrank/log/format.h"

#include <array>

#include "dcmrank/base/choices.h"

namespace dcmrank {

std::span<const LogFormat* const> log_formats() {
  static constexpr std::array kFormats{&kYandex2011, &kYandex2014, &kTsv};
  return kFormats;
}

const LogFormat& log_format(const std::string& name) {
  return *choose("--format", name, log_formats(), &LogFormat::name);
}

}  // namespace dcmrank
