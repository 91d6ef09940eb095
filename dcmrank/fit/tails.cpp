#include "dcmrank/fit/tails.h"

#include <algorithm>

namespace dcmrank {
namespace {

std::string_view bytes_of(std::span<const std::uint32_t> words) {
  return {reinterpret_cast<const char*>(words.data()), words.size_bytes()};
}

}  // namespace

void TailTable::add(std::uint32_t query, std::span<const std::uint32_t> items, Clicks clicks) {
  const std::size_t last = last_click(clicks);
  if (last == 0 || last == items.size()) return;
  add({query, static_cast<std::uint32_t>(last - 1), items.subspan(last), 1});
}

// A key is the words (number of items, query, last, items...).
void TailTable::add(const Tail& tail) {
  if (overflown_) return;
  sorted_.assign({static_cast<std::uint32_t>(tail.items.size()), tail.query, tail.last});
  sorted_.insert(sorted_.end(), tail.items.begin(), tail.items.end());
  std::sort(sorted_.begin() + 3, sorted_.end());
  const std::uint32_t n = keys_.intern(0, Id(bytes_of(sorted_)));
  if (n == impressions_.size()) impressions_.push_back(0);
  impressions_[n] += tail.impressions;
  if (impressions_.size() > most_) {
    overflown_ = true;
    keys_ = {};
    impressions_ = {};
  }
}

void TailTable::merge(const TailTable& other, std::span<const std::uint32_t> query_of,
                      std::span<const std::uint32_t> item_of) {
  overflown_ = overflown_ || other.overflown_;
  std::vector<std::uint32_t> items;
  for (std::uint32_t n = 0; n < other.size() && !overflown_; ++n) {
    const Tail tail = other[n];
    items.clear();
    for (const std::uint32_t i : tail.items) items.push_back(item_of[i]);
    add({query_of[tail.query], tail.last, items, tail.impressions});
  }
}

Tail TailTable::operator[](std::uint32_t n) const {
  const auto* words = reinterpret_cast<const std::uint32_t*>(keys_.text(n).data());
  return {words[1], words[2], {words + 3, words[0]}, impressions_[n]};
}

}  // namespace dcmrank
