#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dcmrank/users/model_case.h"

namespace dcmrank {

/// The simulated users of any click model. Whether user t clicks an item is a hash of (seed, run,
/// t, item) below the conditional click probability: a function of the list alone, for every
/// policy. The reward is the model's (expected_reward in click_model.h): the expected number of
/// clicks, of which a visit returns the clicks; or the probability of a satisfied user, of which it
/// returns the expectation, since clicks do not show it. A problem may choose. Immutable; threads
/// may share it.
class ModelUsers {
 public:
  ModelUsers(std::shared_ptr<const ModelCase> model_case, std::uint64_t seed, std::uint64_t run);

  std::size_t depth(std::uint64_t /*t*/) const { return case_->positions; }
  double visit(std::uint64_t t, std::span<const Item> list, std::span<std::uint8_t> clicks) const;
  void initial_sample(std::span<std::uint8_t> attracted) const;
  double expected_reward(std::span<const Item> list) const;

  /// That of best_list().
  double best_expected_reward() const { return case_->best; }

 private:
  std::shared_ptr<const ModelCase> case_;
  std::uint64_t key_;
};

}  // namespace dcmrank
