#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// The users to whom a simulation shows its lists, in one run, at times t = 1, 2, ... What a user
/// does should be a function of (seed, run, t) and the list alone, so that every policy meets the
/// same users whatever it showed before.
///
/// - depth: how many positions are on the screen of user t.
/// - visit: fills that many clicks and returns the reward, which stays with the simulation: the
///   policy is given the clicks alone.
/// - initial_sample: a free sample of every item's attraction, for the policies that begin with it
///   (Algorithm 1).
/// - expected_reward: of a list, over all users. Regret is measured by it.
/// - best_expected_reward: the same for the list that regret is measured against.
template <class U>
concept Users = requires(const U& users, std::uint64_t t, std::span<const Item> list,
                         std::span<std::uint8_t> clicks) {
  { users.depth(t) } -> std::same_as<std::size_t>;
  { users.visit(t, list, clicks) } -> std::convertible_to<double>;
  { users.initial_sample(clicks) } -> std::same_as<void>;
  { users.expected_reward(list) } -> std::same_as<double>;
  { users.best_expected_reward() } -> std::same_as<double>;
};

/// Says in the compiler's message which function of users is missing, or is another.
template <class U>
constexpr bool check_users() {
  static_assert(
      requires(const U& users, std::uint64_t t) {
        { users.depth(t) } -> std::same_as<std::size_t>;
      },
      "users have `std::size_t depth(std::uint64_t) const` (users/users.h)");
  static_assert(
      requires(const U& users, std::uint64_t t, std::span<const Item> list,
               std::span<std::uint8_t> clicks) {
        { users.visit(t, list, clicks) } -> std::convertible_to<double>;
      },
      "users have `double visit(std::uint64_t, std::span<const Item>, std::span<std::uint8_t>) "
      "const` (users/users.h)");
  static_assert(
      requires(const U& users, std::span<std::uint8_t> attracted) {
        { users.initial_sample(attracted) } -> std::same_as<void>;
      },
      "users have `void initial_sample(std::span<std::uint8_t>) const` (users/users.h)");
  static_assert(
      requires(const U& users, std::span<const Item> list) {
        { users.expected_reward(list) } -> std::same_as<double>;
      },
      "users have `double expected_reward(std::span<const Item>) const` (users/users.h)");
  static_assert(
      requires(const U& users) {
        { users.best_expected_reward() } -> std::same_as<double>;
      },
      "users have `double best_expected_reward() const` (users/users.h)");
  return Users<U>;
}

/// What is meant to be users, even where it is not all there.
template <class U>
concept MeantAsUsers = Users<U> || requires {
  &U::visit;
} || requires {
  &U::expected_reward;
};

/// Any users, decided at run time. Immutable, so copies and threads may share them.
class AnyUsers {
 public:
  template <class U>
  requires(!std::same_as<U, AnyUsers> && MeantAsUsers<U>)
      AnyUsers(U users)  // NOLINT(google-explicit-constructor): it is one
      : held_(hold(std::move(users))) {}

  std::size_t depth(std::uint64_t t) const { return held_->depth(t); }
  double visit(std::uint64_t t, std::span<const Item> list, std::span<std::uint8_t> clicks) const {
    return held_->visit(t, list, clicks);
  }
  void initial_sample(std::span<std::uint8_t> attracted) const { held_->initial_sample(attracted); }
  double expected_reward(std::span<const Item> list) const { return held_->expected_reward(list); }
  double best_expected_reward() const { return held_->best_expected_reward(); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::size_t depth(std::uint64_t t) const = 0;
    virtual double visit(std::uint64_t t, std::span<const Item> list,
                         std::span<std::uint8_t> clicks) const = 0;
    virtual void initial_sample(std::span<std::uint8_t> attracted) const = 0;
    virtual double expected_reward(std::span<const Item> list) const = 0;
    virtual double best_expected_reward() const = 0;
  };

  template <Users U>
  struct Held final : Base {
    explicit Held(U held) : users(std::move(held)) {}
    std::size_t depth(std::uint64_t t) const override { return users.depth(t); }
    double visit(std::uint64_t t, std::span<const Item> list,
                 std::span<std::uint8_t> clicks) const override {
      return users.visit(t, list, clicks);
    }
    void initial_sample(std::span<std::uint8_t> attracted) const override {
      users.initial_sample(attracted);
    }
    double expected_reward(std::span<const Item> list) const override {
      return users.expected_reward(list);
    }
    double best_expected_reward() const override { return users.best_expected_reward(); }
    U users;
  };

  template <class U>
  static std::shared_ptr<const Base> hold(U&& users) {
    if constexpr (check_users<U>()) return std::make_shared<const Held<U>>(std::forward<U>(users));
    return nullptr;
  }

  std::shared_ptr<const Base> held_;
};

}  // namespace dcmrank
