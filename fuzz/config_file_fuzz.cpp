// A configuration file: refused with InputError, or a configuration that is printed as a file which
// says the same, keys included.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dcmrank/base/error.h"
#include "dcmrank/configuration/configuration.h"

namespace {

// The comments tell from which line a value comes; without them.
std::string values(const std::string& printed) {
  std::string text;
  for (std::size_t at = 0; at < printed.size();) {
    const std::size_t end = printed.find('\n', at);
    const std::string_view line = std::string_view(printed).substr(at, end - at);
    text += line.substr(0, line.rfind("  # "));
    text += '\n';
    at = end + 1;
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  dcmrank::configuration::Configuration first;
  try {
    first.parse_file(text, "fuzz");
  } catch (const dcmrank::InputError&) {
    return 0;
  }
  const std::string printed = first.print();
  dcmrank::configuration::Configuration second;
  second.parse_file(printed, "printed");
  if (values(second.print()) != values(printed)) __builtin_trap();
  return 0;
}
