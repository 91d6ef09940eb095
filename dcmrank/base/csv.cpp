#include "dcmrank/base/csv.h"

namespace dcmrank {
namespace {

void append_field(const std::string& text, std::string& csv) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) {
    csv += text;
    return;
  }
  csv += '"';
  for (const char c : text) {
    csv += c;
    if (c == '"') csv += c;
  }
  csv += '"';
}

}  // namespace

std::string to_csv(const std::vector<std::vector<std::string>>& rows) {
  std::string csv;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) csv += ',';
      append_field(row[c], csv);
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace dcmrank
