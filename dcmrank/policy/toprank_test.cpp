#include "dcmrank/policy/toprank.h"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

// The algorithm as the paper writes it: all pairs in all rounds, blocks made anew from the graph.
class PlainTopRank {
 public:
  PlainTopRank(std::size_t items, double n)
      : items_(items), log_c_(std::log(3.43 * n)), s_(items * items), n_(items * items) {}

  std::vector<std::set<Item>> blocks() const {
    std::vector<std::set<Item>> blocks;
    std::set<Item> left;
    for (Item e = 0; e < items_; ++e) left.insert(e);
    while (!left.empty()) {
      std::set<Item> first;
      for (const Item e : left) {
        bool beaten = false;
        for (const Item other : left) beaten = beaten || graph_.count({e, other}) > 0;
        if (!beaten) first.insert(e);
      }
      for (const Item e : first) left.erase(e);
      blocks.push_back(first);
    }
    return blocks;
  }

  void learn(const std::vector<Item>& list, const std::vector<std::uint8_t>& clicks) {
    std::vector<int> c(items_, 0);
    for (std::size_t k = 0; k < clicks.size(); ++k) c[list[k]] = clicks[k];
    for (const auto& block : blocks()) {
      for (const Item i : block) {
        for (const Item j : block) {
          s_[i * items_ + j] += c[i] - c[j];
          n_[i * items_ + j] += std::abs(c[i] - c[j]);
        }
      }
    }
    for (Item i = 0; i < items_; ++i) {
      for (Item j = 0; j < items_; ++j) {
        const double n = n_[i * items_ + j];
        if (n > 0 && s_[i * items_ + j] >= std::sqrt(2 * n * (log_c_ + std::log(n) / 2))) {
          graph_.insert({j, i});
        }
      }
    }
  }

 private:
  std::size_t items_;
  double log_c_;
  std::vector<double> s_;
  std::vector<double> n_;
  std::set<std::pair<Item, Item>> graph_;  // (worse, better)
};

TEST(TopRank, DoesWhatThePaperSays) {
  const Shape shape{9, 3, 30000};
  TopRank policy(shape, top_down(3));
  PlainTopRank plain(shape.items, 30000);
  Rng rng(1);
  Rng users(2);
  Ranking list;
  std::size_t most_blocks = 0;
  for (int t = 0; t < 30000; ++t) {
    policy.rank(rng, list);
    if (t % 50 == 0) {
      // A list that the plain version could show: each of its blocks before the next.
      const auto blocks = plain.blocks();
      most_blocks = std::max(most_blocks, blocks.size());
      std::size_t placed = 0;
      for (const auto& block : blocks) {
        const std::size_t end = std::min(placed + block.size(), shape.positions);
        for (std::size_t k = placed; k < end; ++k) ASSERT_TRUE(block.count(list.items[k])) << t;
        placed = end;
      }
    }
    std::vector<std::uint8_t> clicks(3);
    for (std::size_t k = 0; k < 3; ++k) {
      const double chance = (.9 - .1 * list.items[k]) * std::pow(.6, k);
      clicks[k] = users.uniform() < chance ? 1 : 0;
    }
    plain.learn(list.items, clicks);
    policy.update(list, clicks);
  }
  EXPECT_GT(most_blocks, 2U);
  policy.rank(rng, list);
  EXPECT_LT(list.items[0], 3U);
}

// Items that share a block now may have stood in different ones when a list was made: clicks that
// come late are compared as the list was made.
TEST(TopRank, ComparesAsTheListWasMade) {
  TopRank policy({4, 2, 10}, top_down(2));
  Rng rng(1);
  Ranking early;
  policy.rank(rng, early);
  ASSERT_EQ(early.proposed.size(), 4U);  // two blocks of positions, two items without a place
  const std::vector<std::uint8_t> clicks{1, 0};
  Ranking list;
  for (int t = 0; t < 200; ++t) {
    policy.rank(rng, list);
    policy.update(list, std::vector<std::uint8_t>{list.items[0] < 2, list.items[1] < 2});
  }
  const auto before = policy.save();
  policy.update(early, clicks);
  const auto after = policy.save();
  long more = 0;
  for (const auto& row : after["pairs"]) more += row[3].get<long>();
  for (const auto& row : before["pairs"]) more -= row[3].get<long>();
  EXPECT_EQ(more, 3);  // the clicked item with each of the others
}

TEST(TopRank, RefusesStatesThatItWouldNotSave) {
  TopRank policy({3, 2, 10}, top_down(2));
  const auto refused = [&](const char* text) {
    EXPECT_THROW(policy.load(nlohmann::ordered_json::parse(text)), InputError) << text;
  };
  refused(R"({"pages": 1, "pairs": [[0, 3, 1, 1]], "beats": []})");
  refused(R"({"pages": 1, "pairs": [[1, 0, 1, 1]], "beats": []})");
  refused(R"({"pages": 1, "pairs": [[0, 1, 2, 1]], "beats": []})");
  refused(R"({"pages": 1, "pairs": [[0, 1]], "beats": []})");
  refused(R"({"pages": 1, "pairs": [], "beats": [[0, 1], [1, 2], [2, 0]]})");
  refused(R"({"pages": 1, "pairs": [], "beats": [[1, 1]]})");
}

TEST(TopRank, IsForSomeItemsOnly) {
  EXPECT_THROW(TopRank({TopRank::kMostItems + 1, 2, 10}, top_down(2)), InputError);
}

}  // namespace
}  // namespace dcmrank
