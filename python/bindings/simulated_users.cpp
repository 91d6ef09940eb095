#include "simulated_users.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "arrays.h"
#include "dcmrank/base/error.h"
#include "long_work.h"

namespace dcmrank::python {
namespace {

// Sets a flag of two objects for as long as another thread works with them.
class Occupied {
 public:
  Occupied(NativePolicy& policy, bool& users) : policy_(policy), users_(users) {
    policy_.set_busy(true);
    users_ = true;
  }
  ~Occupied() {
    policy_.set_busy(false);
    users_ = false;
  }
  Occupied(const Occupied&) = delete;
  Occupied& operator=(const Occupied&) = delete;

 private:
  NativePolicy& policy_;
  bool& users_;
};

}  // namespace

SimulatedUsers::SimulatedUsers(Problem problem, std::uint64_t seed, std::uint64_t run)
    : problem_(std::move(problem)),
      seed_(seed),
      run_(run),
      users_(problem_.users(seed, run)),
      best_(users_.best_expected_reward()),
      check_(problem_.items(), problem_.positions()),
      clicks_(problem_.positions()) {}

void SimulatedUsers::check_free() const {
  if (busy_) throw std::runtime_error("these users are visited by another thread");
}

Flags SimulatedUsers::visit(const ArrayLike& ranking) {
  check_free();
  read_items(ranking, Argument("ranking"), problem_.items(), list_);
  if (!check_.is_valid(list_)) throw InputError("ranking " + check_.fault(list_));
  ++so_far_.step;
  so_far_.reward += users_.visit(so_far_.step, list_, clicks_);
  so_far_.regret += best_ - users_.expected_reward(list_);
  return flags_to_numpy(clicks_);
}

Flags SimulatedUsers::initial_sample() const {
  std::vector<std::uint8_t> sample(problem_.items());
  users_.initial_sample(sample);
  return flags_to_numpy(sample);
}

void SimulatedUsers::play(NativePolicy& policy, std::uint64_t rounds, const Report& progress) {
  check_free();
  if (policy.shape().items != problem_.items() ||
      policy.shape().positions != problem_.positions()) {
    throw InputError(fmt::format("policy is made for {} items and k = {}, the users for {} and {}",
                                 policy.shape().items, policy.shape().positions, problem_.items(),
                                 problem_.positions()));
  }
  const Occupied occupied(policy, busy_);
  const bool sample = !policy.begun();
  policy.begin();
  run_long(progress, [&](const WorkControl& control) {
    dcmrank::play(problem_, policy.policy(), policy.rng(), seed_, run_, rounds, sample, so_far_,
                  {control.stop, &control.done});
  });
}

}  // namespace dcmrank::python
