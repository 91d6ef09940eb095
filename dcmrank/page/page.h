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

  /// Starts a new page, whose ids will point into the copy of `text` that is returned, padded.
  std::string_view start(std::string_view text) {
    if (text_.size() < text.size() + kPadding) text_.resize(text.size() + kPadding);
    std::copy(text.begin(), text.end(), text_.begin());
    size_ = text.size();
    count_ = 0;
    click_count_ = 0;
    finished_ = false;
    memory_.forget();
    return this->text();
  }
  /// The copy, padded.
  std::string_view text() const { return {text_.data(), size_}; }

  /// Whether it is a list without a fault that was started with this text.
  bool is_list_of(std::string_view given) const { return finished_ && given == text(); }

  /// The same list as before, shown again.
  void show_again() {
    clicks_.assign(count_, 0);
    click_count_ = 0;
  }

  std::optional<Skip> set_query(std::string_view id) { return set_query(Id(id)); }
  std::optional<Skip> set_query(const Id& id) {
    if (const auto fault = check_id(id.text)) return fault;
    query_ = id;
    return std::nullopt;
  }
  std::optional<Skip> add_item(std::string_view id) {
    if (const auto fault = check_item(id)) return fault;
    items_[count_++] = Id(id);
    return std::nullopt;
  }
  /// The same of a padded text. Its words are stored one by one: a copy of them all at once would
  /// wait for what was just stored.
  [[gnu::always_inline]] std::optional<Skip> add_padded_item(std::string_view id) {
    if (const auto fault = check_item(id)) return fault;
    Id& item = items_[count_++];
    item.text = id;
    item.set_padded_words();
    return std::nullopt;
  }

  /// Call after the last item: refuses a list that has an item twice.
  std::optional<Skip> finish_list() {
    if (has_repeated_item(items())) return Skip::kRepeatedItem;
    clicks_.assign(count_, 0);
    finished_ = true;
    return std::nullopt;
  }

  std::optional<Skip> click(std::string_view id) { return click(Id(id)); }
  std::optional<Skip> click(const Id& id);

  Impression impression(std::uint64_t session = 0) const {
    return {query_, items(), clicks_, session};
  }
  /// With what the sink remembers of the list.
  Impression remembered_impression(std::uint64_t session = 0) {
    return {query_, items(), clicks_, session, &memory_};
  }
  std::uint64_t clicks() const { return click_count_; }

  /// Instead of handing it over, where it has at most one click: counts it among the pages of this
  /// list that were clicked there. Returns how many there are now.
  std::uint32_t put_off() {
    if (put_off_.empty()) put_off_.assign(count_ + 1, 0);
    return ++put_off_[click_count_ == 0 ? count_ : last_clicked_];
  }
  /// Hands over what was put off.
  void catch_up(ImpressionSink& sink);

 private:
  std::span<const Id> items() const { return std::span(items_).first(count_); }
  static std::optional<Skip> check_id(std::string_view id) {
    if (id.size() - 1 < kMaxId) return std::nullopt;
    return id.empty() ? Skip::kEmptyId : Skip::kLongId;
  }

  // Makes room for it, too.
  std::optional<Skip> check_item(std::string_view id) {
    if (const auto fault = check_id(id)) return fault;
    if (count_ < items_.size()) return std::nullopt;
    if (count_ == kMaxPositions) return Skip::kTooManyItems;
    items_.resize(std::min(kMaxPositions, 2 * count_ + 12));
    return std::nullopt;
  }

  std::string text_;  // the first size_, and what may be read behind them
  std::size_t size_ = 0;
  Id query_;
  std::vector<Id> items_;  // the first count_
  std::size_t count_ = 0;
  std::vector<std::uint8_t> clicks_;
  std::uint64_t click_count_ = 0;
  std::size_t last_clicked_ = 0;
  std::vector<std::uint32_t> put_off_;  // by the position of the click, last those without; or none
  bool finished_ = false;               // a list without a fault
  ListMemory memory_;
};

}  // namespace dcmrank
