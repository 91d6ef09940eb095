#include "dcmrank/sim/checked_policy.h"

#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {

CheckedPolicy::CheckedPolicy(AnyPolicy policy, std::string name, const Shape& shape)
    : policy_(std::move(policy)), name_(std::move(name)), check_(shape.items, shape.positions) {}

void CheckedPolicy::refuse(std::span<const Item> list) const {
  throw InputError(
      fmt::format("policy {}, round {}: its list {}", quote(name_), round_, check_.fault(list)));
}

}  // namespace dcmrank
