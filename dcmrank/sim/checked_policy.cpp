#include "dcmrank/sim/checked_policy.h"

#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"

namespace dcmrank {

CheckedPolicy::CheckedPolicy(AnyPolicy policy, std::string name, const Shape& shape)
    : policy_(std::move(policy)), name_(std::move(name)), check_(shape.items, shape.positions) {}

std::string CheckedPolicy::named(const std::string& message) const {
  return fmt::format("policy {}, round {}: {}", quote(name_), round_, message);
}

void CheckedPolicy::refuse(std::span<const Item> list) const {
  throw InputError(named("its list " + check_.fault(list)));
}

}  // namespace dcmrank
