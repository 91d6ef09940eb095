#include "suites.h"

#include "dcmrank/random/rng.h"
#include "dcmrank/users/screen.h"

namespace dcmrank::bench {
namespace {

ExperimentOptions play(std::uint64_t steps, std::uint64_t runs, std::size_t delay = 0) {
  ExperimentOptions options;
  options.steps = steps;
  options.runs = runs;
  options.delay = delay;
  return options;
}

// Half of the users see only the first two of four positions.
ExperimentOptions short_screens() {
  ExperimentOptions options = play(100'000, 20);
  options.depths = parse_screen_depths("2:0.5,4:0.5", 4);
  return options;
}

}  // namespace

std::vector<Suite> suites(std::uint64_t seed, const Problems& fitted) {
  const auto random = [=] { return random_problems(200, subkey(seed, 1)); };
  const auto realistic = [=] { return realistic_problems(20, subkey(seed, 2)); };
  std::vector<Suite> all{
      {"bias", "w = (.6, .5, .4), v = (.5, .1)", bias_example, play(400'000, 20)},
      {"fig2", "the problem of Fig. 2", fig2, play(100'000, 20)},
      {"fig1a", "the problems of Fig. 1a", fig1a, play(100'000, 20)},
      {"orders", "unequal terminations", termination_orders, play(100'000, 20)},
      {"gaps", "close and wide gaps", gaps, play(100'000, 10)},
      {"sizes", "few and many items and positions", sizes, play(100'000, 4)},
      {"delay-100", "Fig. 2, feedback 100 rounds late", fig2, play(100'000, 20, 100)},
      {"delay-1000", "Fig. 2, feedback 1,000 rounds late", fig2, play(100'000, 20, 1000)},
      {"orders-delay-1000", "unequal terminations, feedback 1,000 rounds late", termination_orders,
       play(100'000, 10, 1000)},
      {"screens", "Fig. 2, half of the users see two positions", fig2, short_screens()},
      {"realistic", "20 realistic problems", realistic, play(100'000, 1), true},
      {"random", "200 random problems", random, play(100'000, 1), true}};
  if (!fitted.empty()) {
    all.push_back({"fitted", "the DCMs of a log's most frequent queries",
                   [fitted] { return fitted; }, play(100'000, 4), true});
  }
  for (Suite& suite : all) suite.options.seed = seed;
  return all;
}

}  // namespace dcmrank::bench
