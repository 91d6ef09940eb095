#include "dcmrank/users/model_users.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dcmrank/click_model/predicted.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {

ModelUsers::ModelUsers(std::shared_ptr<const ModelCase> model_case, std::uint64_t seed,
                       std::uint64_t run)
    : case_(std::move(model_case)), key_(stream_key(Stream::kUsers, seed, run)) {}

double ModelUsers::visit(std::uint64_t t, std::span<const Item> list,
                         std::span<std::uint8_t> clicks) const {
  thread_local std::vector<double> p;
  const std::uint64_t key = subkey(key_, 2 * t);
  const PageParameters& page = page_of(*case_, list);
  p.resize(clicks.size());
  std::fill(clicks.begin(), clicks.end(), std::uint8_t{0});
  double sum = 0;
  // P(c_k | c_<k) needs the clicks above k alone: each call fixes one more.
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    const std::span<double> known = std::span(p).first(k + 1);
    const double next = predict_next(*case_->model, page, Clicks(clicks).first(k + 1), known);
    clicks[k] = to_unit(subkey(key, list[k])) < next ? 1 : 0;
    sum += clicks[k];
  }
  const bool counts = resolve(*case_->model, case_->reward) == Reward::kClicks;
  return counts ? sum : predict_satisfaction(*case_->model, page);
}

void ModelUsers::initial_sample(std::span<std::uint8_t> attracted) const {
  const std::uint64_t key = subkey(key_, 0);
  for (std::size_t e = 0; e < attracted.size(); ++e) {
    attracted[e] = to_unit(subkey(key, e)) < case_->attraction[e] ? 1 : 0;
  }
}

double ModelUsers::expected_reward(std::span<const Item> list) const {
  return reward_of(*case_, list);
}

}  // namespace dcmrank
