#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/log/impression.h"
#include "dcmrank/log/report.h"

namespace dcmrank {

/// Whether a list has an item twice.
bool has_repeated_item(std::span<const Id> items);

/// A list as it is being read: its clicks may come on later lines. Keeps its own copy of the text
/// that its ids point to, so it cannot be moved. Functions return what is wrong.
class Page {
 public:
  Page() = default;
  ~Page() = default;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  Page(Page&&) = delete;
  Page& operator=(Page&&) = delete;

  /// Starts a new page, whose ids will point into the copy of `text` that is returned.
  std::string_view start(std::string_view text);

  std::optional<Skip> set_query(std::string_view id);
  std::optional<Skip> add_item(std::string_view id);

  /// Call after the last item: refuses a list that has an item twice.
  std::optional<Skip> finish_list();

  std::optional<Skip> click(std::string_view id);

  Impression impression(std::uint64_t session = 0) const {
    return {query_, items_, clicks_, session};
  }
  std::uint64_t clicks() const { return click_count_; }

 private:
  std::string text_;
  Id query_;
  std::vector<Id> items_;
  std::vector<std::uint8_t> clicks_;
  std::uint64_t click_count_ = 0;
};

}  // namespace dcmrank
