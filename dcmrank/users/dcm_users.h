#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dcmrank/model/dcm.h"
#include "dcmrank/model/interaction.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/users/exchanges.h"
#include "dcmrank/users/screen.h"

namespace dcmrank {

/// The simulated users of Sec. 3.1. At each time t the whole w_t in {0,1}^E and v_t in {0,1}^K are
/// fixed by (seed, run, t) alone: entry e of w_t is a hash of (seed, run, t, e). So every policy
/// meets the same users whatever it shows, and a visit costs O(K), not O(L). Users may be shown
/// only the first positions of a list; how many is fixed by (seed, run, t) too. Holds a reference
/// to the model; immutable, so threads may share it.
class DcmUsers {
 public:
  DcmUsers(const Dcm& dcm, std::uint64_t seed, std::uint64_t run, ScreenDepths depths = {})
      : dcm_(&dcm), key_(stream_key(Stream::kUsers, seed, run)), depths_(std::move(depths)) {}

  /// w_t(e). Time 0 is the free sample of Algorithm 1; visits are at t = 1, 2, ...
  bool attracted(std::uint64_t t, Item e) const {
    return happens(weights_key(t), e, dcm_->attraction[e]);
  }

  /// v_t(k), k counted from 0.
  bool terminates(std::uint64_t t, std::size_t k) const {
    return happens(terminations_key(t), k, dcm_->termination[k]);
  }

  /// How many positions are on the screen of the user of time t.
  std::size_t depth(std::uint64_t t) const {
    if (depths_.empty()) return dcm_->positions();
    double left = to_unit(subkey(terminations_key(t), dcm_->positions()));
    std::size_t depth = 1;
    while (depth < depths_.size() && (left -= depths_[depth - 1]) >= 0) ++depth;
    return depth;
  }

  /// The user of time t scans the list from the top, clicks what attracts and leaves when
  /// satisfied. Fills `clicks`, one entry for each position on the screen, and returns the reward
  /// r_t, which no policy may be given.
  bool visit(std::uint64_t t, std::span<const Item> list, std::span<std::uint8_t> clicks) const {
    const std::uint64_t weights = weights_key(t);
    const std::uint64_t terminations = terminations_key(t);
    const double* const attraction = dcm_->attraction.data();
    const double* const termination = dcm_->termination.data();
    unsigned stays = 1;
    for (std::size_t k = 0; k < clicks.size(); ++k) {
      // No branch on what users do: the processor cannot predict it.
      const Item e = list[k];
      const bool attracts = happens(weights, e, attraction[e]);
      const bool satisfies = happens(terminations, k, termination[k]);
      const unsigned click = stays & static_cast<unsigned>(attracts);
      clicks[k] = static_cast<std::uint8_t>(click);
      stays ^= click & static_cast<unsigned>(satisfies);
      if (k % kGlance == kGlance - 1 && stays == 0) {
        std::fill(clicks.begin() + static_cast<std::ptrdiff_t>(k) + 1, clicks.end(),
                  std::uint8_t{0});
        break;
      }
    }
    return stays == 0;
  }

  /// w_0, one sample of every item's attraction (the initialisation of Algorithm 1).
  void initial_sample(std::span<std::uint8_t> attracted_items) const {
    for (Item e = 0; e < attracted_items.size(); ++e) attracted_items[e] = attracted(0, e) ? 1 : 0;
  }

  /// f(A, w, v) of the true model, over all depths of the screen: what the simulator, and only it,
  /// measures regret by.
  double expected_reward(std::span<const Item> list) const {
    if (depths_.empty()) return dcmrank::expected_reward(*dcm_, list);
    double none = 1;
    double reward = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      none *= 1 - dcm_->termination[k] * dcm_->attraction[list[k]];
      reward += depths_[k] * (1 - none);
    }
    return reward;
  }

  /// The expected reward of A*. With short screens A* is the best order of the most attractive
  /// items that exchanges find, from the order of terminations and from the top.
  double best_expected_reward() const {
    std::vector<Item> list = optimal_list(*dcm_);
    if (depths_.empty()) return expected_reward(list);
    std::vector<Item> from_the_top = list;
    std::sort(from_the_top.begin(), from_the_top.end(),
              [&](Item a, Item b) { return dcm_->attraction[a] > dcm_->attraction[b]; });
    const auto improved = [&](std::span<Item> start) {
      return improve_by_exchanges(start, start.size(), [&](auto l) { return expected_reward(l); });
    };
    return std::max(improved(list), improved(from_the_top));
  }

 private:
  // After how many positions it pays to check whether the user has left.
  static constexpr std::size_t kGlance = 8;

  static bool happens(std::uint64_t key, std::uint64_t n, double probability) {
    return to_unit(subkey(key, n)) < probability;
  }
  std::uint64_t weights_key(std::uint64_t t) const { return subkey(key_, 2 * t); }
  std::uint64_t terminations_key(std::uint64_t t) const { return subkey(key_, 2 * t + 1); }

  const Dcm* dcm_;
  std::uint64_t key_;
  ScreenDepths depths_;
};

}  // namespace dcmrank
