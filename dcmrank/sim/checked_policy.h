#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>

#include "dcmrank/base/error.h"
#include "dcmrank/model/list_check.h"
#include "dcmrank/registry/any_policy.h"

namespace dcmrank {

/// A policy that somebody else wrote: each of its lists is checked before a user sees it. Throws
/// InputError, naming the policy and the round, for a list that is not K different items. What the
/// policy throws itself gets these names, too, unless it is of a type of its own.
class CheckedPolicy {
 public:
  CheckedPolicy(AnyPolicy policy, std::string name, const Shape& shape);

  void rank(Rng& rng, Ranking& ranking) {
    ++round_;
    guard([&] { policy_.rank(rng, ranking); });
    if (!check_.is_valid(ranking.items)) refuse(ranking.items);
  }
  void update(const Ranking& shown, Clicks clicks) {
    guard([&] { policy_.update(shown, clicks); });
  }

  bool wants_initial_sample() const { return policy_.wants_initial_sample(); }
  void observe_initial(std::span<const std::uint8_t> sample) { policy_.observe_initial(sample); }

  AnyPolicy release() && { return std::move(policy_); }

 private:
  template <class Call>
  void guard(const Call& call) const {
    try {
      call();
    } catch (const std::runtime_error& error) {
      if (typeid(error) == typeid(InputError)) throw InputError(named(error.what()));
      if (typeid(error) != typeid(std::runtime_error)) throw;  // somebody may catch it by its type
      throw std::runtime_error(named(error.what()));
    } catch (const std::logic_error& error) {
      throw std::logic_error(named(error.what()));
    }
  }
  std::string named(const std::string& message) const;
  [[noreturn]] void refuse(std::span<const Item> list) const;

  AnyPolicy policy_;
  std::string name_;
  ListCheck check_;
  std::uint64_t round_ = 0;
};

}  // namespace dcmrank
