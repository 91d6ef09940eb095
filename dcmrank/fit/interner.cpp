#include "dcmrank/fit/interner.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace dcmrank {

Interner& Interner::operator=(const Interner& other) {
  if (this == &other) return *this;
  groups_ = other.groups_;
  entries_ = other.entries_;
  texts_.clear();
  text_end_ = other.text_end_;
  for (const auto& block : other.texts_) {
    texts_.push_back(std::make_unique<char[]>(kTextBlock));
    std::memcpy(texts_.back().get(), block.get(), kTextBlock);
  }
  return *this;
}

// Where a text stands that is not cut by the end of a block.
std::uint64_t Interner::keep_text(std::string_view text) {
  if (text.size() > kTextBlock) throw std::length_error("an id is too long");
  if (texts_.empty() || kTextBlock - text_end_ < text.size()) {
    texts_.push_back(std::make_unique<char[]>(kTextBlock));
    text_end_ = 0;
  }
  std::memcpy(texts_.back().get() + text_end_, text.data(), text.size());
  const std::uint64_t at = (texts_.size() - 1) * kTextBlock + text_end_;
  text_end_ += text.size();
  return at;
}

std::uint32_t Interner::insert(std::uint32_t scope, const Id& id, std::uint64_t hash) {
  if (4 * (entries_.size() + 1) > 3 * groups_.size() * Group::kSlots) grow();
  const auto entry = static_cast<std::uint32_t>(entries_.size());
  put(hash, entry);
  entries_.push_back({id.first, id.is_short() ? id.second : keep_text(id.text), scope,
                      static_cast<std::uint32_t>(id.text.size())});
  return entry;
}

// Into the first free slot.
void Interner::put(std::uint64_t hash, std::uint32_t entry) {
  std::size_t g = home(hash);
  while (groups_[g].with(0) == 0) {
    if (++g == groups_.size()) g = 0;
  }
  Group& group = groups_[g];
  const auto slot = static_cast<std::size_t>(std::countr_zero(group.with(0)));
  group.tag[slot] = tag_of(hash);
  group.entry[slot] = entry;
}

// The groups are made anew from the entries: there are never old and new ones at once.
void Interner::grow() {
  if (entries_.size() >= kAbsent - 1) throw std::runtime_error("more than 4 billion ids");
  const std::size_t size = std::max<std::size_t>(8, groups_.size() + groups_.size() / 2);
  groups_ = {};
  groups_.resize(size);
  for (std::size_t n = 0; n < entries_.size(); ++n) {
    put(hash_of(entries_[n]), static_cast<std::uint32_t>(n));
  }
}

}  // namespace dcmrank
