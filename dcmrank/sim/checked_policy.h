#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "dcmrank/model/list_check.h"
#include "dcmrank/registry/any_policy.h"

namespace dcmrank {

/// A policy that somebody else wrote: each of its lists is checked before a user sees it. Throws
/// InputError, naming the policy and the round, for a list that is not K different items. What the
/// policy throws itself gets these names, too, where it is an InputError, a std::runtime_error or a
/// std::logic_error; what is of another type stays what it is, and `told` (base/blame.h) names it.
/// What is no std::exception becomes a std::runtime_error.
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

  bool wants_initial_sample() const {
    return guard([&] { return policy_.wants_initial_sample(); });
  }
  void observe_initial(std::span<const std::uint8_t> sample) {
    guard([&] { policy_.observe_initial(sample); });
  }

  /// Whether what flies by was thrown by the policy, or because of it.
  bool threw() const { return threw_; }

  AnyPolicy release() && { return std::move(policy_); }

 private:
  template <class Call>
  std::invoke_result_t<const Call&> guard(const Call& call) const {
    try {
      return call();
    } catch (const std::exception& error) {
      rethrow(error);
    } catch (...) {
      threw_ = true;
      throw std::runtime_error(named("it threw something that is no std::exception"));
    }
  }
  [[noreturn]] void rethrow(const std::exception& error) const;
  std::string who() const;
  std::string named(const std::string& message) const;
  [[noreturn]] void refuse(std::span<const Item> list) const;

  AnyPolicy policy_;
  std::string name_;
  ListCheck check_;
  std::uint64_t round_ = 0;
  mutable bool threw_ = false;
};

}  // namespace dcmrank
