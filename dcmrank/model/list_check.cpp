#include "dcmrank/model/list_check.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "dcmrank/base/text.h"

namespace dcmrank {

std::string item_fault(std::int64_t item, std::size_t items) {
  return fmt::format("has item {}; items are numbered from 0 to {}", item, items - 1);
}

std::string ListCheck::fault(std::span<const Item> list) const {
  if (list.size() != positions_) {
    return fmt::format("has {} for {}", how_many(list.size(), "item"),
                       how_many(positions_, "position"));
  }
  const auto outside =
      std::find_if(list.begin(), list.end(), [&](Item e) { return e >= last_.size(); });
  if (outside != list.end()) return item_fault(*outside, last_.size());
  for (auto e = list.begin(); e != list.end(); ++e) {
    if (std::find(list.begin(), e, *e) != e) return fmt::format("has item {} twice", *e);
  }
  throw std::logic_error("a list was refused without a reason");
}

}  // namespace dcmrank
