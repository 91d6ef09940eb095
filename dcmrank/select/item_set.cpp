#include "dcmrank/select/item_set.h"

#include <algorithm>
#include <bit>

namespace dcmrank {

// Sets with bits are at most a few dozen, however many items there are.
std::size_t ItemSet::most_sorted(std::size_t items) {
  return std::max<std::size_t>(512, items / 64);
}

void ItemSet::insert(Item e, std::size_t items) {
  if (is_sorted() && size_ >= most_sorted(items)) to_bits(items);
  ++size_;
  if (is_sorted()) {
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), e), e);
  } else {
    words_[e / kWord] |= std::uint64_t{1} << (e % kWord);
    ++blocks_[e / kBlock];
  }
}

void ItemSet::erase(Item e) {
  --size_;
  if (is_sorted()) {
    sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), e));
    return;
  }
  words_[e / kWord] &= ~(std::uint64_t{1} << (e % kWord));
  --blocks_[e / kBlock];
  if (size_ < most_sorted(words_.size() * kWord) / 2) to_sorted();
}

std::size_t ItemSet::rank(Item e) const {
  if (is_sorted()) {
    return static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), e) -
                                    sorted_.begin());
  }
  std::size_t rank = 0;
  for (std::size_t b = 0; b < e / kBlock; ++b) rank += blocks_[b];
  for (std::size_t w = e / kBlock * kBlock / kWord; w < e / kWord; ++w) {
    rank += static_cast<std::size_t>(std::popcount(words_[w]));
  }
  const std::uint64_t below = (std::uint64_t{1} << (e % kWord)) - 1;
  return rank + static_cast<std::size_t>(std::popcount(words_[e / kWord] & below));
}

Item ItemSet::nth(std::size_t n) const {
  if (is_sorted()) return sorted_[n];
  std::size_t block = 0;
  while (n >= blocks_[block]) n -= blocks_[block++];
  std::size_t w = block * kBlock / kWord;
  for (;; ++w) {
    const auto here = static_cast<std::size_t>(std::popcount(words_[w]));
    if (n < here) break;
    n -= here;
  }
  std::uint64_t word = words_[w];
  for (; n > 0; --n) word &= word - 1;
  return static_cast<Item>(w * kWord + static_cast<std::size_t>(std::countr_zero(word)));
}

void ItemSet::to_bits(std::size_t items) {
  words_.assign((items + kWord - 1) / kWord, 0);
  blocks_.assign((items + kBlock - 1) / kBlock, 0);
  for (const Item e : sorted_) {
    words_[e / kWord] |= std::uint64_t{1} << (e % kWord);
    ++blocks_[e / kBlock];
  }
  sorted_ = {};
}

void ItemSet::to_sorted() {
  sorted_.reserve(size_);
  for (std::size_t w = 0; w < words_.size(); ++w) {
    for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
      sorted_.push_back(
          static_cast<Item>(w * kWord + static_cast<std::size_t>(std::countr_zero(word))));
    }
  }
  words_ = {};
  blocks_ = {};
}

}  // namespace dcmrank
