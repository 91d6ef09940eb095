// Fast selections against the plain one: the same lists, round by round.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/index/kl_ucb_index.h"
#include "dcmrank/select/flat_selection.h"
#include "dcmrank/select/kinetic_selection.h"
#include "dcmrank/select/plain_list_test.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kShare = effort<std::uint64_t>(1, 200);

// How counts move: as Algorithm 1 counts, by fractions, and also back (doubt.h).
enum class Steps { kWhole, kFractions, kAlsoBack };

struct World {
  std::size_t items;
  std::size_t positions;
  Steps steps;
  bool distinct;          // attractions all different, or of two kinds
  double start_observed;  // of every item; 0: nothing is known
};

void changed(FlatSelection& selection, Item e, const Counts& /*counts*/) {
  selection.changed(std::span(&e, 1));
}
void changed(KineticSelection& selection, Item e, const Counts& counts) {
  selection.changed(e, counts);
}

// A selection in a world of random users, beside the plain one.
template <class Selection, class I>
class Lockstep {
 public:
  Lockstep(const World& world, const I& index, std::uint64_t seed)
      : world_(world), index_(index), rng_(seed), selection_(world.items), counts_(world.items) {
    for (Item e = 0; e < world.items; ++e) {
      attraction_.push_back(world.distinct ? 0.02 + 0.9 * rng_.uniform() : e % 4 == 0 ? 0.2 : 0.05);
      counts_[e] = {world.start_observed,
                    rng_.uniform() < attraction_[e] ? world.start_observed : 0};
    }
  }

  void run(std::uint64_t rounds) {
    for (std::uint64_t n = 0; n < rounds; ++n) {
      step();
      if (testing::Test::HasFatalFailure()) return;
      if (rng_.below(2000) == 0) load();
    }
  }

 private:
  void step() {
    index_.begin_round(round_, rng_());
    std::vector<Item> taken;
    if (rng_.below(8) == 0 && world_.items > world_.positions) {
      taken.push_back(static_cast<Item>(rng_.below(world_.items)));
    }
    const std::uint64_t key = rng_();
    const auto expected = plain_list_of(index_, counts_, taken, key, world_.positions);
    TieDraws ties(key);
    std::vector<Item> list(world_.positions);
    selection_.select(index_, counts_, taken, ties, list);
    ASSERT_EQ(list, expected) << "round " << round_;
    if (rng_.below(10) != 0) learn(list);  // else the feedback is lost: several lists in a row
    round_ += rng_.below(50) == 0 ? rng_.below(round_ + 10) / 10 : 1;
  }

  void learn(const std::vector<Item>& list) {
    const std::size_t seen = 1 + rng_.below(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
      Counts& counts = counts_[list[k]];
      if (k < seen) {
        counts.add(rng_.uniform() < attraction_[list[k]]);
      } else if (world_.steps != Steps::kWhole) {
        counts.observed += rng_.uniform();
      }
      if (world_.steps == Steps::kAlsoBack && rng_.below(4) == 0) {
        counts.observed = std::max(counts.attracted, counts.observed - 0.7 * rng_.uniform());
      }
      changed(selection_, list[k], counts);
    }
  }

  // As a policy that takes over a saved state of another time.
  void load() {
    for (Counts& counts : counts_) {
      if (rng_.below(3) == 0) counts = {1 + counts.observed / 2, counts.attracted / 2};
    }
    round_ = 1 + round_ / 2;
    selection_.start_over();
  }

  World world_;
  I index_;
  Rng rng_;
  Selection selection_;
  std::vector<Counts> counts_;
  std::vector<double> attraction_;
  std::uint64_t round_ = 1;
};

template <class Selection, class I>
void compare_with_plain(const I& index, std::span<const World> worlds, std::uint64_t rounds) {
  std::uint64_t seed = 1;
  for (const World& world : worlds) {
    Lockstep<Selection, I>(world, index, seed++).run(rounds / kShare);
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class Selection>
void compare_with_plain(std::span<const World> worlds, std::uint64_t rounds) {
  compare_with_plain<Selection>(KlUcbIndex(Budget::kPaper), worlds, rounds);
  compare_with_plain<Selection>(KlUcbIndex(Budget::kLog), worlds, rounds);
  compare_with_plain<Selection>(KlUcbPlusIndex(), worlds, rounds);
}

std::vector<World> worlds_of(std::span<const std::pair<std::size_t, std::size_t>> sizes) {
  std::vector<World> worlds;
  for (const auto& [items, positions] : sizes) {
    for (const Steps steps : {Steps::kWhole, Steps::kFractions, Steps::kAlsoBack}) {
      for (const bool distinct : {false, true}) {
        for (const double start : {0.0, 1.0}) {
          worlds.push_back({items, positions, steps, distinct, start});
        }
      }
    }
  }
  return worlds;
}

constexpr std::array<std::pair<std::size_t, std::size_t>, 4> kSmall{
    {{2, 1}, {5, 5}, {16, 4}, {30, 3}}};
constexpr std::array<std::pair<std::size_t, std::size_t>, 1> kLarge{{{1500, 10}}};

TEST(FlatSelection, GivesTheListsOfThePlainOne) {
  compare_with_plain<FlatSelection>(worlds_of(kSmall), 10'000);
}

TEST(KineticSelection, GivesTheListsOfThePlainOne) {
  compare_with_plain<KineticSelection>(worlds_of(kSmall), 10'000);
}

TEST(KineticSelection, GivesTheListsOfThePlainOneFromManyItems) {
  compare_with_plain<KineticSelection>(worlds_of(kLarge), 600);
}

}  // namespace
}  // namespace dcmrank
