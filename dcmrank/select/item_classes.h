#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/model/counts.h"
#include "dcmrank/select/item_set.h"

namespace dcmrank {

/// The items in classes of equal counts: items of a class have the same KL-UCB index in every
/// round. Items that have always attracted, or were never observed, have the index 1 and are one
/// class too. A class keeps its number while it has members; numbers are used again.
class ItemClasses {
 public:
  using Class = std::uint32_t;
  static constexpr Class kNone = 0xffffffff;

  explicit ItemClasses(std::size_t items) : class_of_(items) {}

  /// Assigns all items again. O(L).
  void assign(std::span<const Counts> counts);

  /// What a change of an item's counts did. Where the class `now` is new or has other counts than
  /// before, `is_new`; its counts were those of `before` or one observation more.
  struct Move {
    Class before;
    Class now;
    bool is_new;
    bool emptied;  // `before` has no members any more, and is free
  };
  Move move(Item e, const Counts& counts);

  /// The members of c, whose index is and remains 1, join those that have always attracted. Returns
  /// the class of these; c is free. It must be another class.
  Class join_certain(Class c);
  /// Items that have always attracted; kNone where there are none.
  Class certain() const { return table_[slot({0, 0})]; }

  std::size_t items() const { return class_of_.size(); }
  Class class_of(Item e) const { return class_of_[e]; }
  const Counts& counts(Class c) const { return classes_[c].counts; }
  const ItemSet& members(Class c) const { return classes_[c].members; }
  /// Greater than every number in use.
  std::size_t size() const { return classes_.size(); }

 private:
  struct ItemClass {
    Counts counts;
    ItemSet members;
  };

  Class add_class(const Counts& key);
  // The slot of these counts in the table: where they are, or where they would go.
  std::size_t slot(const Counts& key) const;
  void enter(Class c);
  void leave(Class c);
  void grow();

  std::vector<Class> class_of_;
  std::vector<ItemClass> classes_;
  std::vector<Class> free_;
  std::vector<Class> table_;  // open addressing; a power of two, at most half full
  std::size_t used_ = 0;
};

}  // namespace dcmrank
