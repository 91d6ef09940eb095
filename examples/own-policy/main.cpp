// The whole `dcmrank` command with a policy of one's own in it, compared with all others on the
// same users. Epsilon-greedy: mostly the items clicked most often per showing, sometimes any.
#include <algorithm>
#include <numeric>
#include <vector>

#include <dcmrank/command/run.h>
#include <dcmrank/registry/option_values.h>
#include <dcmrank/registry/registry.h>

class EpsilonGreedy {
 public:
  EpsilonGreedy(const dcmrank::Shape& shape, double epsilon)
      : positions_(shape.positions),
        epsilon_(epsilon),
        shown_(shape.items, 1),
        clicked_(shape.items, 1) {}

  void rank(dcmrank::Rng& rng, dcmrank::Ranking& ranking) {
    std::vector<double> score(shown_.size());
    for (std::size_t e = 0; e < score.size(); ++e) {
      score[e] = rng.uniform() < epsilon_ ? rng.uniform() : clicked_[e] / shown_[e];
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
  double epsilon_;
  std::vector<double> shown_, clicked_;
};

int main(int argc, char** argv) {
  dcmrank::add_policy(
      {"epsilon-greedy",
       "mostly the most clicked, sometimes any",
       {{"epsilon", "how often an item gets a random score (default 0.05)", {"0.2"}}},
       [](const dcmrank::PolicySpec& spec, const dcmrank::PolicyCase& c) {
         return dcmrank::AnyPolicy(
             EpsilonGreedy(c.shape, dcmrank::probability(spec, "epsilon", 0.05)));
       }});
  return dcmrank::run_command(argc, argv);
}
