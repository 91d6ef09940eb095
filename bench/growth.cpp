// Ratios against the plain version, measured in one run, and how the cost of a round grows.
#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <hwy/targets.h>

#include "dcmrank/plot/draw.h"
#include "dcmrank/plot/figure.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/sim/experiment.h"
#include "plain.h"
#include "speed.h"

namespace dcmrank::bench {
namespace {

// Median, least and most of a few measurements.
struct Spread {
  double median, least, most;
};

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

Spread repeat(int times, const std::function<double(std::uint64_t)>& measure) {
  std::vector<double> values;
  for (int i = 0; i < times; ++i) values.push_back(measure(static_cast<std::uint64_t>(i)));
  return spread_of(std::move(values));
}

std::string text(const Spread& s) {
  const auto number = [](double x) {
    return x < 100 ? fmt::format("{:.1f}", x) : fmt::format("{:.0f}", x);
  };
  return fmt::format("{} ({} to {})", number(s.median), number(s.least), number(s.most));
}

// Measured in turns, so that what else the machine does falls on both alike.
void print_ratio(const std::string& name, int times,
                 const std::function<double(std::uint64_t)>& plain,
                 const std::function<double(std::uint64_t)>& fast) {
  std::vector<double> plains;
  std::vector<double> fasts;
  std::vector<double> ratios;
  for (int i = 0; i < times; ++i) {
    plains.push_back(plain(static_cast<std::uint64_t>(i)));
    fasts.push_back(fast(static_cast<std::uint64_t>(i)));
    ratios.push_back(plains.back() / fasts.back());
  }
  fmt::print("| {} | {} | {} | {} |\n", name, text(spread_of(plains)), text(spread_of(fasts)),
             text(spread_of(ratios)));
}

double plain_index_cost() {
  const auto batches = realistic_batches(kBatches);
  double sum = 0;
  const double start = cpu_seconds();
  for (const KlUcbBatch& b : batches) {
    for (std::size_t i = 0; i < b.size; ++i) {
      sum += plain_kl_ucb({b.observed[i], b.attracted[i]}, b.budget[i]);
    }
  }
  const double seconds = cpu_seconds() - start;
  return (sum > 0 ? 1e9 : 0) * seconds / static_cast<double>(kBatches * KlUcbBatch::kRoom);
}

double fast_index_cost() {
  auto batches = realistic_batches(kBatches);
  constexpr int kTimes = 5;
  const double start = cpu_seconds();
  for (int i = 0; i < kTimes; ++i) {
    for (KlUcbBatch& b : batches) find_indices(b);
  }
  return 1e9 * (cpu_seconds() - start) / static_cast<double>(kTimes * kBatches * KlUcbBatch::kRoom);
}

void print_ratios() {
  fmt::print("\n| ns of CPU, median (least to most) | plain | dcmrank | ratio |\n");
  fmt::print("| --- | --- | --- | --- |\n");
  print_ratio(
      "KL-UCB index, in batches", 11, [](auto) { return plain_index_cost(); },
      [](auto) { return fast_index_cost(); });
  const Dcm fig2 = lower_bound_problem(16, 4);
  print_ratio(
      "round, L = 16, K = 4, n = 10^5 (Fig. 2)", 7,
      [&](auto run) { return plain_round_cost(fig2, 20'000, run); },
      [&](auto run) { return round_cost("dcm-kl-ucb", fig2, 100'000, run); });
  const Dcm large = lower_bound_problem(1'000, 10);
  print_ratio(
      "round, L = 1,000, K = 10, n = 10^5", 3,
      [&](auto run) { return plain_round_cost(large, 500, run); },
      [&](auto run) { return round_cost("dcm-kl-ucb", large, 100'000, run); });
}

// One row a size; returns the curve.
Series print_growth(const std::string& label, const std::string& variable,
                    std::span<const double> sizes, const std::function<Spread(double)>& measure) {
  fmt::print("\n| {} | ns per round, {} |\n| --- | --- |\n", variable, label);
  Series series{label, {}, {}, {}, Style::kCurve};
  for (const double size : sizes) {
    const Spread cost = measure(size);
    fmt::print("| {:.0f} | {} |\n", size, text(cost));
    series.x.push_back(size);
    series.y.push_back(cost.median);
  }
  return series;
}

Series print_growth_with_items() {
  const std::vector<double> sizes{16, 100, 1'000, 10'000, 100'000};
  return print_growth("dcm-kl-ucb, K = 10, n = 10^6", "L", sizes, [](double items) {
    const Dcm dcm = lower_bound_problem(static_cast<std::size_t>(items), 10);
    return repeat(3, [&](auto run) { return round_cost("dcm-kl-ucb", dcm, 1'000'000, run); });
  });
}

Series print_plain_growth() {
  const std::vector<double> sizes{16, 100, 1'000, 10'000};
  return print_growth("plain version, K = 10", "L", sizes, [](double items) {
    const Dcm dcm = lower_bound_problem(static_cast<std::size_t>(items), 10);
    const auto rounds = static_cast<std::uint64_t>(2e6 / items);
    return repeat(3, [&](auto run) { return plain_round_cost(dcm, rounds, run); });
  });
}

void print_other_growth() {
  const std::vector<double> positions{4, 10, 32};
  print_growth("dcm-kl-ucb, L = 1,000, n = 10^5", "K", positions, [](double k) {
    const Dcm dcm = lower_bound_problem(1'000, static_cast<std::size_t>(k));
    return repeat(3, [&](auto run) { return round_cost("dcm-kl-ucb", dcm, 100'000, run); });
  });
  const std::vector<double> steps{1e3, 1e4, 1e5, 1e6, 1e7};
  print_growth("dcm-kl-ucb, L = 16, K = 4", "n", steps, [](double n) {
    const Dcm dcm = lower_bound_problem(16, 4);
    const auto rounds = static_cast<std::uint64_t>(n);
    return repeat(3, [&](auto run) { return round_cost("dcm-kl-ucb", dcm, rounds, run); });
  });
  const std::vector<double> items{1e3, 1e4, 1e5, 1e6};
  print_growth("set-up and the first list, per item", "L", items, [](double l) {
    const Dcm dcm = lower_bound_problem(static_cast<std::size_t>(l), 10);
    return repeat(3, [&](auto run) { return round_cost("dcm-kl-ucb", dcm, 1, run) / l; });
  });
}

void print_policies() {
  const std::vector<std::size_t> sizes{16, 1'000, 100'000};
  fmt::print(
      "\n| ns per round, K = 4 | L = 16, n = 10^5 | L = 1,000, n = 2*10^4 |"
      " L = 100,000, n = 2*10^4 |\n| --- | --- | --- | --- |\n");
  for (const char* policy :
       {"dcm-kl-ucb", "dcm-kl-ucb:counting=em", "dcm-kl-ucb-plus", "dcm-kl-ucb:placement=cheapest",
        "ranked-kl-ucb", "ranked-exp3", "dcm-ts", "dcm-ots", "recommended"}) {
    fmt::print("| {} |", policy);
    for (const std::size_t items : sizes) {
      const Dcm dcm = lower_bound_problem(items, 4);
      const std::uint64_t n = items == 16 ? 100'000 : 20'000;
      fmt::print(" {} |",
                 text(repeat(3, [&](auto run) { return round_cost(policy, dcm, n, run); })));
    }
    fmt::print("\n");
  }
}

double sweep_seconds(unsigned threads) {
  const Dcm dcm = lower_bound_problem(16, 4);
  const std::vector<PolicySpec> policy{parse_policy_spec("dcm-kl-ucb")};
  const auto start = std::chrono::steady_clock::now();
  compare(dcm, policy, {.steps = 1'000'000, .runs = 40, .seed = 1, .threads = threads});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_threads() {
  fmt::print("\n| 40 runs of n = 10^6, wall seconds | 1 thread | 2 threads | ratio |\n");
  fmt::print("| --- | --- | --- | --- |\n");
  std::vector<double> one;
  std::vector<double> two;
  std::vector<double> ratios;
  for (int i = 0; i < 7; ++i) {
    one.push_back(sweep_seconds(1));
    two.push_back(sweep_seconds(2));
    ratios.push_back(one.back() / two.back());
  }
  const auto exact = [](const Spread& s) {
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", s.median, s.least, s.most);
  };
  fmt::print("| dcm-kl-ucb, Fig. 2 | {} | {} | {} |\n", exact(spread_of(one)),
             exact(spread_of(two)), exact(spread_of(ratios)));
}

}  // namespace

void print_tables(const std::string& picture) {
  fmt::print("\ninstruction set: {}\n", hwy::TargetName(static_cast<std::int64_t>(
                                            hwy::SupportedTargets() & -hwy::SupportedTargets())));
  print_ratios();
  const Series fast = print_growth_with_items();
  const Series plain = print_plain_growth();
  print_other_growth();
  print_policies();
  print_threads();
  if (picture.empty()) return;
  draw(Figure{.title = "A round of dcmKL-UCB, lists of 10",
              .x_label = "items L",
              .y_label = "nanoseconds a round",
              .axes = Axes::kLogLog,
              .series = {plain, fast}},
       picture);
}

}  // namespace dcmrank::bench
