#include "dcmrank/log/page.h"

#include <array>

namespace dcmrank {
namespace {

std::optional<Skip> check_id(std::string_view id) {
  if (id.empty()) return Skip::kEmptyId;
  if (id.size() > kMaxId) return Skip::kLongId;
  return std::nullopt;
}

bool any_two_equal(std::span<const Id> items) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (items[i] == items[j]) return true;
    }
  }
  return false;
}

}  // namespace

// Ids that differ mostly fall on different bits of a small table: only where two share one are all
// pairs compared.
bool has_repeated_item(std::span<const Id> items) {
  std::array<std::uint64_t, 16> seen{};
  std::uint64_t shared = 0;
  for (const Id& item : items) {
    const std::uint64_t hash = (item.first ^ item.second) * kGolden;
    std::uint64_t& word = seen[hash >> 60U];
    const std::uint64_t bit = std::uint64_t{1} << (hash >> 54U & 63U);
    shared |= word & bit;
    word |= bit;
  }
  return shared != 0 && any_two_equal(items);
}

std::string_view Page::start(std::string_view text) {
  text_.assign(text);
  items_.clear();
  click_count_ = 0;
  return text_;
}

std::optional<Skip> Page::set_query(std::string_view id) {
  if (const auto fault = check_id(id)) return fault;
  query_ = Id(id);
  return std::nullopt;
}

std::optional<Skip> Page::add_item(std::string_view id) {
  if (const auto fault = check_id(id)) return fault;
  if (items_.size() == kMaxPositions) return Skip::kTooManyItems;
  items_.emplace_back(id);
  return std::nullopt;
}

std::optional<Skip> Page::finish_list() {
  if (has_repeated_item(items_)) return Skip::kRepeatedItem;
  clicks_.assign(items_.size(), 0);
  return std::nullopt;
}

std::optional<Skip> Page::click(std::string_view id) {
  const Id clicked(id);
  for (std::size_t k = 0; k < items_.size(); ++k) {
    if (items_[k] != clicked) continue;
    if (clicks_[k] != 0) return Skip::kRepeatedClick;
    clicks_[k] = 1;
    ++click_count_;
    return std::nullopt;
  }
  return Skip::kClickNotShown;
}

}  // namespace dcmrank
