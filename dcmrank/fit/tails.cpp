#include "dcmrank/fit/tails.h"

#include <algorithm>

namespace dcmrank {
namespace {

constexpr std::size_t kHead = 4;  // words of a key before the items

std::string_view bytes_of(std::span<const std::uint32_t> words) {
  return {reinterpret_cast<const char*>(words.data()), words.size_bytes()};
}

}  // namespace

Tail tail_of(TailKind kind, std::uint32_t query, std::span<const std::uint32_t> items,
             Clicks clicks) {
  const std::size_t last = last_click(clicks);
  Tail tail{query, Tail::kNone, Tail::kNone, {}, 1};
  if (last == 0) {
    if (kind == TailKind::kChains) tail.items = items;
    return tail;
  }
  tail.last = static_cast<std::uint32_t>(last - 1);
  if (kind == TailKind::kChains) tail.clicked = items[last - 1];
  tail.items = items.subspan(last);
  return tail;
}

void TailTable::add(std::uint32_t query, std::span<const std::uint32_t> items, Clicks clicks) {
  const Tail tail = tail_of(kind_, query, items, clicks);
  if (!tail.items.empty()) add(tail);
}

void TailTable::add(const Tail& tail) {
  if (overflown_) return;
  words_.assign(
      {static_cast<std::uint32_t>(tail.items.size()), tail.query, tail.last, tail.clicked});
  words_.insert(words_.end(), tail.items.begin(), tail.items.end());
  if (kind_ == TailKind::kSets) std::sort(words_.begin() + kHead, words_.end());
  const std::uint32_t n = keys_.intern(0, Id(bytes_of(words_)));
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
    const std::uint32_t clicked = tail.clicked == Tail::kNone ? Tail::kNone : item_of[tail.clicked];
    add({query_of[tail.query], tail.last, clicked, items, tail.impressions});
  }
}

TailTable TailTable::as_sets() const {
  TailTable sets(most_, TailKind::kSets);
  sets.overflown_ = overflown_;
  for (std::uint32_t n = 0; n < size(); ++n) {
    Tail tail = (*this)[n];
    if (tail.last == Tail::kNone) continue;
    tail.clicked = Tail::kNone;
    sets.add(tail);
  }
  return sets;
}

Tail TailTable::operator[](std::uint32_t n) const {
  const auto* words = reinterpret_cast<const std::uint32_t*>(keys_.text(n).data());
  return {words[1], words[2], words[3], {words + kHead, words[0]}, impressions_[n]};
}

}  // namespace dcmrank
