#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "service_test.h"

namespace dcmrank::testing {

/// The log of the service.
class Log : public ServiceTest {
 protected:
  std::vector<json> lines() const {
    std::vector<json> result;
    std::istringstream text(written_.empty() ? read(folder() / "log") : written_);
    for (std::string line; std::getline(text, line);) result.push_back(json::parse(line));
    return result;
  }
  std::vector<json> lines_of(const std::string& event) const {
    std::vector<json> result;
    for (const json& line : lines()) {
      if (line["event"] == event) result.push_back(line);
    }
    return result;
  }

  // More than the buffers of a connection hold.
  void fill() {
    const std::string long_id(1000, 'x');
    std::string lines = "{\"format\":\"dcmrank.service-state\",\"version\":1}\n";
    for (int n = 0; n < 15'000; ++n) {
      lines += R"({"model":"default","query":"q)" + std::to_string(n) +
               R"(","rounds":1,"positions":[],"items":{")" + long_id + R"(":[4294967296]}})" + "\n";
    }
    ASSERT_EQ(status("POST", "/v1/import", lines), 200);
  }

  std::string written_;  // to the standard error, where the log went there
};

}  // namespace dcmrank::testing
