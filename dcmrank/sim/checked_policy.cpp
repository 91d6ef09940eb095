#include "dcmrank/sim/checked_policy.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {

CheckedPolicy::CheckedPolicy(AnyPolicy policy, std::string name, const Shape& shape)
    : policy_(std::move(policy)),
      name_(std::move(name)),
      positions_(shape.positions),
      last_round_(shape.items) {}

bool CheckedPolicy::is_valid(std::span<const Item> list) {
  if (list.size() != positions_) return false;
  for (const Item e : list) {
    if (e >= last_round_.size() || last_round_[e] == round_) return false;
    last_round_[e] = round_;
  }
  return true;
}

void CheckedPolicy::refuse(std::span<const Item> list) const {
  const auto refuse_for = [&](const std::string& why) {
    throw InputError(fmt::format("policy {}, round {}: {}", quote(name_), round_, why));
  };
  if (list.size() != positions_) {
    refuse_for(fmt::format("its list has {} items for {} positions", list.size(), positions_));
  }
  const auto outside =
      std::find_if(list.begin(), list.end(), [&](Item e) { return e >= last_round_.size(); });
  if (outside != list.end()) {
    refuse_for(fmt::format("its list has item {}; items are numbered from 0 to {}", *outside,
                           last_round_.size() - 1));
  }
  for (auto e = list.begin(); e != list.end(); ++e) {
    if (std::find(list.begin(), e, *e) == e) continue;
    refuse_for(fmt::format("its list has item {} twice", *e));
  }
  throw std::logic_error("a list was refused without a reason");
}

}  // namespace dcmrank
