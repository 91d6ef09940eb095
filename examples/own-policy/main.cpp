// The whole `dcmrank` command with a policy of one's own in it, compared with all others on the
// same users. Epsilon-greedy: mostly the items clicked most often per showing, sometimes any.
#include <algorithm>
#include <numeric>
#include <vector>

#include <dcmrank/command/run.h>
#include <dcmrank/registry/registry.h>

class EpsilonGreedy {
 public:
  explicit EpsilonGreedy(const dcmrank::Shape& shape)
      : positions_(shape.positions), shown_(shape.items, 1), clicked_(shape.items, 1) {}

  void rank(dcmrank::Rng& rng, dcmrank::Ranking& ranking) {
    std::vector<double> score(shown_.size());
    for (std::size_t e = 0; e < score.size(); ++e) {
      score[e] = rng.uniform() < 0.05 ? rng.uniform() : clicked_[e] / shown_[e];
    }
    ranking.items.resize(score.size());
    std::iota(ranking.items.begin(), ranking.items.end(), dcmrank::Item{0});
    std::stable_sort(ranking.items.begin(), ranking.items.end(),
                     [&](auto a, auto b) { return score[a] > score[b]; });
    ranking.items.resize(positions_);
  }

  void update(const dcmrank::Ranking& ranking, dcmrank::Clicks clicks) {
    for (std::size_t k = 0; k < dcmrank::observed_prefix(clicks); ++k) {
      shown_[ranking.items[k]] += 1;
      clicked_[ranking.items[k]] += clicks[k];
    }
  }

 private:
  std::size_t positions_;
  std::vector<double> shown_, clicked_;
};

int main(int argc, char** argv) {
  dcmrank::add_policy<EpsilonGreedy>("epsilon-greedy", "mostly the most clicked, sometimes any");
  return dcmrank::run_command(argc, argv);
}
