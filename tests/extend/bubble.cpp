// A policy that is not of dcmKL-UCB's family: it keeps no counts of items, but compares neighbours
// of a list (after Li, Kveton, Lattimore and Szepesvari, UAI 2019), and cannot be saved or served.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <dcmrank/command/run.h>
#include <dcmrank/registry/registry.h>

class BubbleRank {
 public:
  explicit BubbleRank(const dcmrank::Shape& shape)
      : positions_(shape.positions), base_(shape.items) {
    std::iota(base_.begin(), base_.end(), dcmrank::Item{0});
  }

  void rank(dcmrank::Rng& rng, dcmrank::Ranking& ranking) {
    ranking.items = base_;
    for (std::size_t k = rng.below(2); k + 1 < base_.size(); k += 2) {
      if (wins(base_[k], base_[k + 1]) || rng.below(2) == 0) continue;
      std::swap(ranking.items[k], ranking.items[k + 1]);
    }
    ranking.items.resize(positions_);
  }

  void update(const dcmrank::Ranking& shown, dcmrank::Clicks clicks) {
    for (std::size_t k = 0; k + 1 < clicks.size(); ++k) {
      if (clicks[k] == clicks[k + 1]) continue;
      const bool upper = clicks[k] != 0;
      Score& score = scores_[std::minmax(shown.items[k], shown.items[k + 1])];
      score.sum += upper == (shown.items[k] < shown.items[k + 1]) ? 1 : -1;
      score.rounds += 1;
    }
    for (std::size_t k = 0; k + 1 < base_.size(); ++k) {
      if (wins(base_[k + 1], base_[k])) std::swap(base_[k], base_[k + 1]);
    }
  }

 private:
  struct Score {
    double sum = 0;  // of the item with the smaller number
    double rounds = 0;
  };
  bool wins(dcmrank::Item a, dcmrank::Item b) const {
    const auto at = scores_.find(std::minmax(a, b));
    if (at == scores_.end()) return false;
    const double lead = a < b ? at->second.sum : -at->second.sum;
    return lead > 2 * std::sqrt(at->second.rounds) + 1;
  }

  std::size_t positions_;
  std::vector<dcmrank::Item> base_;
  std::map<std::pair<dcmrank::Item, dcmrank::Item>, Score> scores_;
};

int main(int argc, char** argv) {
  dcmrank::add_policy<BubbleRank>("bubble-rank", "exchanges neighbours that are clicked more");
  return dcmrank::run_command(argc, argv);
}
