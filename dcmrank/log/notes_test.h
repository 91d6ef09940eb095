#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/page/impression.h"

namespace dcmrank {

/// Writes impressions as "query: item item* item", a star after what was clicked.
class Notes : public ImpressionSink {
 public:
  void add(const Impression& impression) override {
    std::string note = fmt::format("{}:", impression.query.text);
    for (std::size_t k = 0; k < impression.items.size(); ++k) {
      note += fmt::format(" {}{}", impression.items[k].text, impression.clicks[k] != 0 ? "*" : "");
    }
    all.push_back(note);
  }
  std::vector<std::string> all;
};

}  // namespace dcmrank
