#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/page/impression.h"
#include "dcmrank/page/report.h"

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

  /// Starts a new page, whose ids will point into the copy of `text` that is returned; it may be
  /// read beyond its end (Id::padded).
  std::string_view start(std::string_view text) {
    text_.resize(text.size() + Id::kPadding);
    std::copy(text.begin(), text.end(), text_.begin());
    count_ = 0;
    click_count_ = 0;
    return {text_.data(), text.size()};
  }

  std::optional<Skip> set_query(std::string_view id) { return set_query(Id(id)); }
  std::optional<Skip> set_query(const Id& id) {
    if (const auto fault = check_id(id.text)) return fault;
    query_ = id;
    return std::nullopt;
  }
  std::optional<Skip> add_item(std::string_view id) { return add_item(Id(id)); }
  [[gnu::always_inline]] std::optional<Skip> add_item(const Id& id) {
    if (const auto fault = check_id(id.text)) return fault;
    if (count_ == items_.size()) {
      if (count_ == kMaxPositions) return Skip::kTooManyItems;
      items_.resize(std::min(kMaxPositions, 2 * count_ + 8));
    }
    items_[count_++] = id;
    return std::nullopt;
  }

  /// Call after the last item: refuses a list that has an item twice.
  std::optional<Skip> finish_list() {
    if (has_repeated_item(items())) return Skip::kRepeatedItem;
    clicks_.assign(count_, 0);
    return std::nullopt;
  }

  std::optional<Skip> click(std::string_view id) { return click(Id(id)); }
  std::optional<Skip> click(const Id& id);

  Impression impression(std::uint64_t session = 0) const {
    return {query_, items(), clicks_, session};
  }
  std::uint64_t clicks() const { return click_count_; }

 private:
  std::span<const Id> items() const { return std::span(items_).first(count_); }
  static std::optional<Skip> check_id(std::string_view id) {
    if (id.size() - 1 < kMaxId) return std::nullopt;
    return id.empty() ? Skip::kEmptyId : Skip::kLongId;
  }

  std::string text_;  // and what may be read behind it
  Id query_;
  std::vector<Id> items_;  // the first count_
  std::size_t count_ = 0;
  std::vector<std::uint8_t> clicks_;
  std::uint64_t click_count_ = 0;
};

}  // namespace dcmrank
