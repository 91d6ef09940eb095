#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "dcmrank/users/users.h"

namespace dcmrank {

/// How far rewards are from those that were expected of the same lists.
class RewardTally {
 public:
  void add(double reward, double expected) {
    const double surprise = reward - expected;
    ++visits_;
    rewards_ += reward;
    expected_ += expected;
    squares_ += surprise * surprise;
  }

  /// Whether chance alone cannot explain it.
  bool contradicts() const {
    constexpr std::uint64_t kFewest = 1000;  // visits that tell anything
    constexpr double kErrors = 7;            // a chance of 1e-12
    constexpr double kRounding = 1e-9;
    const double error = kErrors * std::sqrt(squares_) + kRounding * std::abs(expected_);
    return visits_ >= kFewest && std::abs(rewards_ - expected_) > error;
  }
  double rewards() const { return rewards_; }
  double expected() const { return expected_; }

 private:
  std::uint64_t visits_ = 0;
  double rewards_ = 0;
  double expected_ = 0;
  double squares_ = 0;
};

/// Users that somebody else wrote: their rewards are compared with what they say is expected.
/// Throws InputError for clicks that are not 0 or 1, and for a depth that no list has. The tally
/// outlives them.
class WatchedUsers {
 public:
  WatchedUsers(AnyUsers users, std::size_t positions, RewardTally& tally)
      : users_(std::move(users)), positions_(positions), tally_(&tally) {}

  std::size_t depth(std::uint64_t t) const {
    const std::size_t depth = users_.depth(t);
    if (depth > positions_) refuse_depth(t, depth);
    return depth;
  }
  double visit(std::uint64_t t, std::span<const Item> list, std::span<std::uint8_t> clicks) const {
    const double reward = users_.visit(t, list, clicks);
    if (!are_bits(clicks)) refuse_clicks(t, clicks);
    tally_->add(reward, users_.expected_reward(list));
    return reward;
  }
  void initial_sample(std::span<std::uint8_t> attracted) const {
    users_.initial_sample(attracted);
    if (!are_bits(attracted)) refuse_sample(attracted);
  }
  double expected_reward(std::span<const Item> list) const { return users_.expected_reward(list); }
  double best_expected_reward() const { return users_.best_expected_reward(); }

 private:
  static bool are_bits(std::span<const std::uint8_t> values) {
    unsigned all = 0;
    for (const std::uint8_t value : values) all |= value;
    return all <= 1;
  }
  [[noreturn]] void refuse_depth(std::uint64_t t, std::size_t depth) const;
  [[noreturn]] static void refuse_clicks(std::uint64_t t, Clicks clicks);
  [[noreturn]] static void refuse_sample(std::span<const std::uint8_t> attracted);

  AnyUsers users_;
  std::size_t positions_;
  RewardTally* tally_;
};

}  // namespace dcmrank
