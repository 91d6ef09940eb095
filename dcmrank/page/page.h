#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
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

/// Hashes of few items, 16 bits each, which tell quickly whether two are the same.
class ShortHashes {
 public:
  static constexpr std::size_t kMost = 16;  // items

  /// Whether two of the items may be the same; of more than kMost they always may.
  bool set(std::span<const Id> items);
  /// A bit for each item that may be this one, of at most kMost.
  std::uint32_t like(const Id& id) const;

 private:
  static constexpr std::size_t kAround = kMost / 2;  // of a ring, a second time behind its end

  std::array<std::uint16_t, kMost + kAround> hashes_{};
};

/// A list as it is being read: its clicks may come on later lines. Keeps its own copy of the text
/// that its ids point to, so it cannot be moved. Functions return what is wrong.
class alignas(64) Page {
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
    clicked_ = 0;
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
    if (click_count_ != 0) clear_clicks();
    click_count_ = 0;
    clicked_ = 0;
  }

  [[nodiscard]] std::optional<Skip> set_query(std::string_view id) { return set_query(Id(id)); }
  [[nodiscard]] std::optional<Skip> set_query(const Id& id) {
    if (const auto fault = check_id(id.text)) return fault;
    query_ = id;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<Skip> add_item(std::string_view id) {
    if (const auto fault = check_item(id)) return fault;
    items_[count_++] = Id(id);
    return std::nullopt;
  }
  /// The same of a padded text.
  [[gnu::always_inline]] std::optional<Skip> add_padded_item(std::string_view id) {
    if (const auto fault = check_item(id)) return fault;
    Id& item = items_[count_++];
    item.text = id;
    item.set_padded_words(id);
    return std::nullopt;
  }
  /// The same of n of them, all that the list has: text_of(k) is the k-th, from 0, in `given`, the
  /// padded text that the page was started with. What is read is that text, since the copy of it
  /// has just been written, for which a processor waits; ids point into the copy.
  template <class TextOf>
  [[gnu::always_inline]] std::optional<Skip> add_given_items(const char* given, std::size_t n,
                                                             TextOf text_of) {
    const std::size_t room = std::min(n, kMaxPositions);
    if (items_.size() < room) items_.resize(room);
    Id* const items = items_.data();
    const char* const copy = text_.data();
    for (std::size_t k = 0; k < room; ++k) {
      const std::string_view id = text_of(k);
      if (const auto fault = check_id(id)) return fault;
      items[k].set_padded_words(id);
      items[k].text = {copy + (id.data() - given), id.size()};
    }
    count_ = room;
    if (room == n) return std::nullopt;
    const auto fault = check_id(text_of(room));
    return fault ? fault : Skip::kTooManyItems;
  }
  std::optional<Skip> set_given_query(const char* given, std::string_view id) {
    if (const auto fault = check_id(id)) return fault;
    query_.set_padded_words(id);
    query_.text = {text_.data() + (id.data() - given), id.size()};
    return std::nullopt;
  }

  /// Call after the last item, and before the first click: refuses a list that has an item twice.
  [[nodiscard]] std::optional<Skip> finish_list() {
    if (hashes_.set(items()) && has_repeated_item(items())) return Skip::kRepeatedItem;
    clear_clicks();
    finished_ = true;
    return std::nullopt;
  }

  /// Throws std::logic_error where the list is not finished, or was refused.
  std::optional<Skip> click(std::string_view id) { return click(Id(id)); }
  std::optional<Skip> click(const Id& clicked);

  Impression impression(std::uint64_t session = 0) const {
    return {query_, items(), page_clicks(), session};
  }
  /// With what the sink remembers of the list.
  Impression remembered_impression(std::uint64_t session = 0) {
    return {query_, items(), page_clicks(), session, &memory_};
  }
  std::uint64_t clicks() const { return click_count_; }

  /// Instead of handing it over to a sink that takes repeats: counts it among the pages of this
  /// list that were clicked so. What it makes room for, and the page of a long list, is handed
  /// over.
  void put_off(ImpressionSink& sink) {
    if (click_count_ > 1) return put_off_several(sink);
    if (put_off_.empty()) put_off_.assign(count_ + 1, 0);
    const std::uint32_t times = ++put_off_[click_count_ == 0 ? count_ : last_clicked_];
    if (times == ImpressionSink::kMostRepeats) catch_up(sink);
  }
  /// Hands over what was put off.
  void catch_up(ImpressionSink& sink);

 private:
  std::span<const Id> items() const { return std::span(items_).first(count_); }
  Clicks page_clicks() const { return std::span(clicks_).first(count_); }
  void clear_clicks() {
    if (clicks_.size() < count_) clicks_.resize(count_);
    if (count_ <= kFewClicks) {
      std::memset(clicks_.data(), 0, kFewClicks);
    } else {
      std::memset(clicks_.data(), 0, count_);
    }
  }
  static std::optional<Skip> check_id(std::string_view id) {
    if (has_length_of_id(id)) return std::nullopt;
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

  /// Pages with the same several clicks, a bit for each.
  struct SeveralClicks {
    std::uint64_t clicked = 0;
    std::uint32_t times = 0;
  };
  static constexpr std::size_t kSeveral = 16;      // of these
  static constexpr std::size_t kClickedBits = 64;  // positions that clicked_ tells

  static constexpr std::size_t kFewClicks = 16;  // cleared without asking how many

  std::size_t find(const Id& id) const;
  void put_off_several(ImpressionSink& sink);
  void hand_over(ImpressionSink& sink, std::uint64_t clicked, std::uint32_t times);

  std::string text_;  // the first size_, and what may be read behind them
  std::size_t size_ = 0;
  std::size_t count_ = 0;
  std::uint64_t click_count_ = 0;
  std::uint64_t clicked_ = 0;  // a bit for each click, where the list is not too long
  std::size_t last_clicked_ = 0;
  bool finished_ = false;               // a list without a fault
  std::vector<std::uint32_t> put_off_;  // by the position of the click, last those without; or none
  std::vector<Id> items_;               // the first count_
  std::vector<std::uint8_t> clicks_ = std::vector<std::uint8_t>(kFewClicks);  // the first count_
  ShortHashes hashes_;                                                        // of the items
  std::vector<SeveralClicks> several_;  // put off, too, each where its bits say; or none
  Id query_;
  ListMemory memory_;
};

}  // namespace dcmrank
