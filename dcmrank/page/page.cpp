#include "dcmrank/page/page.h"

#include <array>

namespace dcmrank {
namespace {

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

// Compares with all, without branches, which the processor cannot foretell.
std::optional<Skip> Page::click(const Id& clicked) {
  std::size_t found = count_;
  for (std::size_t k = 0; k < count_; ++k) {
    const bool same =
        ((items_[k].first ^ clicked.first) | (items_[k].second ^ clicked.second)) == 0;
    found = same ? k : found;
  }
  if (found == count_) return Skip::kClickNotShown;
  if (!clicked.is_short()) {  // those of equal hash
    found = 0;
    while (found < count_ && items_[found] != clicked) ++found;
    if (found == count_) return Skip::kClickNotShown;
  }
  if (clicks_[found] != 0) return Skip::kRepeatedClick;
  clicks_[found] = 1;
  last_clicked_ = found;
  ++click_count_;
  return std::nullopt;
}

void Page::catch_up(ImpressionSink& sink) {
  if (put_off_.empty()) return;
  for (std::size_t k = 0; k <= count_; ++k) {
    if (put_off_[k] == 0) continue;
    clicks_.assign(count_, 0);
    if (k < count_) clicks_[k] = 1;
    sink.add_repeated(remembered_impression(), put_off_[k]);
  }
  put_off_.clear();
}

}  // namespace dcmrank
