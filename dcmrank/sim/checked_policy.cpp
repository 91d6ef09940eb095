#include "dcmrank/sim/checked_policy.h"

#include <typeinfo>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/blame.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {

CheckedPolicy::CheckedPolicy(AnyPolicy policy, std::string name, const Shape& shape)
    : policy_(std::move(policy)), name_(std::move(name)), check_(shape.items, shape.positions) {}

std::string CheckedPolicy::who() const {
  if (round_ == 0) return fmt::format("policy {}, before round 1", quote(name_));
  return fmt::format("policy {}, round {}", quote(name_), round_);
}

std::string CheckedPolicy::named(const std::string& message) const {
  return who() + ": " + message;
}

// Called where the exception is being handled.
void CheckedPolicy::rethrow(const std::exception& error) const {
  threw_ = true;
  const std::type_info& type = typeid(error);
  if (type == typeid(InputError)) throw InputError(named(error.what()));
  if (type == typeid(std::runtime_error)) throw std::runtime_error(named(error.what()));
  if (type == typeid(std::logic_error)) throw std::logic_error(named(error.what()));
  blame(error, who());
  throw;
}

void CheckedPolicy::refuse(std::span<const Item> list) const {
  threw_ = true;
  throw InputError(named("its list " + check_.fault(list)));
}

}  // namespace dcmrank
