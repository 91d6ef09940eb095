#include "dcmrank/select/item_classes.h"

#include <bit>

#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

// Counts under which a class is found: the same for all whose index is 1 in every round.
Counts key_of(const Counts& counts) {
  const bool is_one = counts.observed <= 0 || counts.attracted >= counts.observed;
  return is_one ? Counts{0, 0} : counts;
}

std::uint64_t hash_of(const Counts& key) {
  return mix64(std::bit_cast<std::uint64_t>(key.observed) * kGolden +
               std::bit_cast<std::uint64_t>(key.attracted));
}

}  // namespace

void ItemClasses::assign(std::span<const Counts> counts) {
  classes_.clear();
  free_.clear();
  table_.assign(64, kNone);
  used_ = 0;
  for (Item e = 0; e < class_of_.size(); ++e) {
    const Counts key = key_of(counts[e]);
    Class c = table_[slot(key)];
    if (c == kNone) c = add_class(key);
    classes_[c].members.insert(e, class_of_.size());
    class_of_[e] = c;
  }
}

ItemClasses::Move ItemClasses::move(Item e, const Counts& counts) {
  const Class before = class_of_[e];
  const Counts key = key_of(counts);
  if (classes_[before].counts == key) return {before, before, false, false};
  Class now = table_[slot(key)];
  const bool alone = classes_[before].members.size() == 1;
  if (now == kNone && alone) {
    leave(before);
    classes_[before].counts = key;
    enter(before);
    return {before, before, true, false};
  }
  const bool is_new = now == kNone;
  if (is_new) now = add_class(key);
  classes_[before].members.erase(e);
  classes_[now].members.insert(e, class_of_.size());
  class_of_[e] = now;
  if (alone) {
    leave(before);
    free_.push_back(before);
  }
  return {before, now, is_new, alone};
}

ItemClasses::Class ItemClasses::join_certain(Class c) {
  Class to = certain();
  if (to == kNone) to = add_class({0, 0});
  while (classes_[c].members.size() > 0) {
    const Item e = classes_[c].members.nth(classes_[c].members.size() - 1);
    classes_[c].members.erase(e);
    classes_[to].members.insert(e, class_of_.size());
    class_of_[e] = to;
  }
  leave(c);
  free_.push_back(c);
  return to;
}

ItemClasses::Class ItemClasses::add_class(const Counts& key) {
  Class c = 0;
  if (free_.empty()) {
    c = static_cast<Class>(classes_.size());
    classes_.emplace_back();
  } else {
    c = free_.back();
    free_.pop_back();
  }
  classes_[c].counts = key;
  enter(c);
  return c;
}

std::size_t ItemClasses::slot(const Counts& key) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash_of(key) & mask;
  while (table_[at] != kNone && classes_[table_[at]].counts != key) at = (at + 1) & mask;
  return at;
}

void ItemClasses::enter(Class c) {
  if (2 * ++used_ > table_.size()) grow();
  table_[slot(classes_[c].counts)] = c;
}

// Closes the gap, so that whoever probed past it is still found.
void ItemClasses::leave(Class c) {
  const std::size_t mask = table_.size() - 1;
  std::size_t gap = slot(classes_[c].counts);
  for (std::size_t at = (gap + 1) & mask; table_[at] != kNone; at = (at + 1) & mask) {
    const std::size_t home = hash_of(classes_[table_[at]].counts) & mask;
    if (((at - home) & mask) < ((at - gap) & mask)) continue;
    table_[gap] = table_[at];
    gap = at;
  }
  table_[gap] = kNone;
  --used_;
}

void ItemClasses::grow() {
  const std::vector<Class> old = std::move(table_);
  table_.assign(2 * old.size(), kNone);
  for (const Class c : old) {
    if (c != kNone) table_[slot(classes_[c].counts)] = c;
  }
}

}  // namespace dcmrank
