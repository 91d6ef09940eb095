#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/users/problem.h"

namespace dcmrank {

/// Items and positions that users of a click model are shown, with the model's parameters.
struct ModelCase {
  const ClickModel* model = nullptr;
  std::size_t positions = 0;
  std::vector<double> attraction;          // by item
  std::vector<std::vector<double>> items;  // the model's item parameters; each by item
  std::vector<std::vector<double>>
      lists;  // the model's list parameters; each as long as a page needs

  Reward reward = Reward::kUsual;

  double best = 0;  // expected reward of best_list(); model_problem() finds it, once
};

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

/// The list that regret is measured against: the n-th most attractive item at the n-th best
/// position. Where that is not sure to be the best, the best of all lists if they are few; else two
/// items of it change places, or one with an item outside, for as long as the expected reward
/// grows: a local optimum then.
std::vector<Item> best_list(const ModelCase& model_case);

/// As a problem; it throws InputError, naming the entry at fault, where the case is none.
Problem model_problem(ModelCase model_case);

/// A problem file of a click model that is not a DCM: "attraction", the model's parameters by their
/// names, and "positions" where no list tells how many there are.
Problem model_problem_from_json(const ClickModel& model, const nlohmann::ordered_json& json);

/// Users of a click model as a model of one query, "1", with items "1", "2", ... Throws InputError
/// for users of other kinds.
FittedModel model_of(const Problem& problem);

/// One query of a fitted model, as dcm_of() in model_file.h.
Problem model_problem_of_query(const FittedModel& fitted, const std::string& query,
                               const std::string& source);

}  // namespace dcmrank
