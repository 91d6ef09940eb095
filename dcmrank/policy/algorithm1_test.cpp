// Algorithm 1, transcribed line by line with arrays and loops, beside the policy of the library:
// the published algorithm must stay what it is, list by list.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/registry/built_in.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/select/tie_draws.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank {
namespace {

const Dcm kPaperDcm{{.6, .5, .4, .1, .3, .55, .2}, {.5, .1, .8}};
const Shape kPaperShape{7, 3, 3000};

class Algorithm1 {
 public:
  explicit Algorithm1(const DcmUsers& users) {
    for (Item e = 0; e < kPaperShape.items; ++e) {  // observe w_0
      observed_[e] = 1;
      mean_[e] = users.attracted(0, e) ? 1 : 0;
    }
  }

  // Recommend: the UCBs, then the list that maximises them, the best first; ties as drawn.
  std::vector<Item> recommend(std::uint64_t t, std::uint64_t key) const {
    const double log_t = std::log(static_cast<double>(t));
    const double budget = t == 1 ? 0 : std::max(0.0, log_t + 3 * std::log(log_t));
    TieDraws ties(key);
    std::vector<Item> list;
    std::set<Item> left;
    for (Item e = 0; e < kPaperShape.items; ++e) left.insert(e);
    for (std::size_t k = 0; k < kPaperShape.positions; ++k) {
      std::map<double, std::vector<Item>> by_ucb;
      for (const Item e : left) {
        const Counts counts{observed_[e], std::round(mean_[e] * observed_[e])};
        by_ucb[kl_ucb(counts, budget)].push_back(e);
      }
      const std::vector<Item>& best = by_ucb.rbegin()->second;
      list.push_back(best[ties.below(best.size())]);
      left.erase(list.back());
    }
    return list;
  }

  // Update the statistics of the first min{C_last, K} items.
  void learn(const std::vector<Item>& list, const std::vector<std::uint8_t>& clicks) {
    std::size_t last = kPaperShape.positions;  // C_last = +infinity without a click
    for (std::size_t k = 0; k < kPaperShape.positions; ++k) {
      if (clicks[k] != 0) last = k + 1;
    }
    for (std::size_t k = 0; k < last; ++k) {
      const Item e = list[k];
      mean_[e] = (observed_[e] * mean_[e] + clicks[k]) / (observed_[e] + 1);
      observed_[e] += 1;
    }
  }

 private:
  std::vector<double> observed_ = std::vector<double>(kPaperShape.items);
  std::vector<double> mean_ = std::vector<double>(kPaperShape.items);
};

TEST(DcmKlUcb, ShowsTheListsOfAlgorithm1) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const DcmUsers users(kPaperDcm, seed, 0);
    AnyPolicy any = make_policy(parse_policy_spec("dcm-kl-ucb"), kPaperShape);
    auto& policy = *any.as<DcmKlUcb>();
    std::vector<std::uint8_t> sample(kPaperShape.items);
    users.initial_sample(sample);
    policy.observe_initial(sample);
    Algorithm1 transcription(users);
    Rng rng(seed);
    Rng same(seed);
    Ranking ranking;
    std::vector<std::uint8_t> clicks(kPaperShape.positions);
    for (std::uint64_t t = 1; t <= kPaperShape.horizon; ++t) {
      policy.rank(rng, ranking);
      ASSERT_EQ(ranking.items, transcription.recommend(t, same())) << "t = " << t;
      users.visit(t, ranking.items, clicks);
      policy.update(ranking, clicks);
      transcription.learn(ranking.items, clicks);
    }
  }
}

}  // namespace
}  // namespace dcmrank
