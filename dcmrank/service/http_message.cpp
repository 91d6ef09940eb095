#include "dcmrank/service/http_message.h"

namespace dcmrank::service {

std::optional<std::string> percent_decode(std::string_view text) {
  std::string result;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (text[n] != '%') {
      result.push_back(text[n]);
      continue;
    }
    unsigned value = 0;
    for (int digit = 0; digit < 2; ++digit) {
      const char c = ++n < text.size() ? text[n] : '?';
      const bool decimal = c >= '0' && c <= '9';
      const auto letter = static_cast<char>(c | 0x20);  // in lower case
      if (!decimal && !(letter >= 'a' && letter <= 'f')) return std::nullopt;
      value = value * 16 + static_cast<unsigned>(decimal ? c - '0' : letter - 'a' + 10);
    }
    result.push_back(static_cast<char>(value));
  }
  return result;
}

}  // namespace dcmrank::service
