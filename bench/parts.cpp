// The parts, by Google Benchmark; then the tables of growth.cpp.
// usage: bench_speed [options of Google Benchmark] [parts | PICTURE.svg]
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/fit/statistics.h"
#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/random/beta.h"
#include "dcmrank/registry/built_in.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/sim/simulation.h"
#include "dcmrank/users/dcm_users.h"
#include "generated_log.h"
#include "plain.h"
#include "speed.h"

namespace dcmrank::bench {
namespace {

void count_items(benchmark::State& state, std::size_t each) {
  state.SetItemsProcessed(static_cast<std::int64_t>(each) *
                          static_cast<std::int64_t>(state.iterations()));
}

void index_of_plain_bisection(benchmark::State& state) {
  const auto batches = realistic_batches(kBatches);
  for (auto _ : state) {
    for (const KlUcbBatch& b : batches) {
      for (std::size_t i = 0; i < b.size; ++i) {
        benchmark::DoNotOptimize(plain_kl_ucb({b.observed[i], b.attracted[i]}, b.budget[i]));
      }
    }
  }
  count_items(state, kBatches * KlUcbBatch::kRoom);
}

void index_one_by_one(benchmark::State& state) {
  const auto batches = realistic_batches(kBatches);
  for (auto _ : state) {
    for (const KlUcbBatch& b : batches) {
      for (std::size_t i = 0; i < b.size; ++i) {
        benchmark::DoNotOptimize(kl_ucb({b.observed[i], b.attracted[i]}, b.budget[i]));
      }
    }
  }
  count_items(state, kBatches * KlUcbBatch::kRoom);
}

void index_in_batches(benchmark::State& state) {
  auto batches = realistic_batches(kBatches);
  for (auto _ : state) {
    for (KlUcbBatch& b : batches) find_indices(b);
    benchmark::ClobberMemory();
  }
  count_items(state, kBatches * KlUcbBatch::kRoom);
}

void tangents_of_a_list(benchmark::State& state) {
  auto batches = realistic_batches(kBatches);
  for (KlUcbBatch& b : batches) {
    find_indices(b);
    for (std::size_t i = 0; i < b.size; ++i) {
      b.log_q[i] = std::log(b.q[i]);
      b.log_rest[i] = std::log1p(-b.q[i]);
    }
    b.size = static_cast<std::size_t>(state.range(0));
  }
  for (auto _ : state) {
    for (KlUcbBatch& b : batches) approach_indices(b);
    benchmark::ClobberMemory();
  }
  count_items(state, kBatches * static_cast<std::size_t>(state.range(0)));
}

void beta_draws(benchmark::State& state) {
  BetaBatch batch;
  batch.size = BetaBatch::kRoom;
  Rng rng(1);
  for (std::size_t i = 0; i < batch.size; ++i) {
    batch.a[i] = 2 + 100 * rng.uniform();
    batch.b[i] = 2 + 1000 * rng.uniform();
  }
  for (auto _ : state) {
    for (std::uint64_t& key : batch.key) key = rng();
    sample_betas(batch);
    benchmark::ClobberMemory();
  }
  count_items(state, batch.size);
}

void visit_of_a_user(benchmark::State& state) {
  const auto positions = static_cast<std::size_t>(state.range(0));
  const Dcm dcm = lower_bound_problem(1000, positions);
  const DcmUsers users(dcm, 1, 0);
  std::vector<Item> list(positions);
  for (Item k = 0; k < positions; ++k) list[k] = 7 * k;
  std::vector<std::uint8_t> clicks(positions);
  std::uint64_t t = 0;
  for (auto _ : state) benchmark::DoNotOptimize(users.visit(++t, list, clicks));
}

// Lists or updates of dcm-kl-ucb alone in the clock, which itself costs some 30 ns.
enum class Timed { kSelection, kUpdate };
void part_of_a_round(benchmark::State& state, Timed which) {
  const auto items = static_cast<std::size_t>(state.range(0));
  const auto positions = static_cast<std::size_t>(state.range(1));
  const Dcm dcm = lower_bound_problem(items, positions);
  const DcmUsers users(dcm, 1, 0);
  auto any = make_policy(parse_policy_spec("dcm-kl-ucb"), {items, positions, 0});
  auto& policy = *any.as<DcmKlUcb>();
  std::vector<std::uint8_t> sample(items);
  users.initial_sample(sample);
  policy.observe_initial(sample);
  Rng rng(1);
  Ranking ranking;
  std::vector<std::uint8_t> clicks(positions);
  std::uint64_t t = 0;
  using Clock = std::chrono::steady_clock;
  for (auto _ : state) {
    Clock::duration sum{};
    for (int n = 0; n < 100; ++n) {
      const auto start = Clock::now();
      policy.rank(rng, ranking);
      const auto ranked = Clock::now();
      users.visit(++t, ranking.items, clicks);
      const auto visited = Clock::now();
      policy.update(ranking, clicks);
      sum += which == Timed::kSelection ? ranked - start : Clock::now() - visited;
    }
    state.SetIterationTime(std::chrono::duration<double>(sum).count());
  }
  count_items(state, 100);
}

void whole_rounds(benchmark::State& state) {
  const auto items = static_cast<std::size_t>(state.range(0));
  const auto positions = static_cast<std::size_t>(state.range(1));
  const Dcm dcm = lower_bound_problem(items, positions);
  const Shape shape{items, positions, 0};
  auto any = make_policy(parse_policy_spec("dcm-kl-ucb"), shape);
  Simulation run(*any.as<DcmKlUcb>(), DcmUsers(dcm, 1, 0), shape, Rng(1));
  run.advance(1000);
  for (auto _ : state) run.advance(run.step() + 100);
  count_items(state, 100);
}

// A log of 8 MB that is removed at the end.
class LogFile {
 public:
  LogFile()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("dcmrank-bench-{}.tsv", ::getpid())) {
    write_log(path_, 8'000'000);
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  ~LogFile() { std::filesystem::remove(path_); }

  LogStatistics read(const Needs& needs) const {
    return collect(open_log({path_.string()}, kYandex2011), {1, true, {}}, needs);
  }
  std::uintmax_t size() const { return std::filesystem::file_size(path_); }

 private:
  std::filesystem::path path_;
};

void read_a_log(benchmark::State& state) {
  const LogFile log;
  for (auto _ : state) benchmark::DoNotOptimize(log.read({}).report.lines);
  state.SetBytesProcessed(static_cast<std::int64_t>(log.size()) *
                          static_cast<std::int64_t>(state.iterations()));
}

void fit_a_dcm(benchmark::State& state, Method method) {
  const LogFile log;
  FitOptions options;
  options.method = method;
  const auto collected = log.read(kDcmModel.needs(options));
  const Sample sample = make_sample(collected.statistics, {});
  for (auto _ : state) benchmark::DoNotOptimize(fit(kDcmModel, sample, options).queries.size());
  count_items(state, collected.report.impressions);
}

void for_sizes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"L", "K"})->ArgsProduct({{16, 1'000, 100'000}, {4, 10}});
  b->Args({1'000, 32})->Args({100'000, 32})->Args({32, 32});
}

BENCHMARK(index_of_plain_bisection);
BENCHMARK(index_one_by_one);
BENCHMARK(index_in_batches);
BENCHMARK(tangents_of_a_list)->ArgName("K")->Arg(4)->Arg(10)->Arg(32);
BENCHMARK(beta_draws);
BENCHMARK(visit_of_a_user)->ArgName("K")->Arg(4)->Arg(10)->Arg(32);
BENCHMARK_CAPTURE(part_of_a_round, selection, Timed::kSelection)->Apply(for_sizes)->UseManualTime();
BENCHMARK_CAPTURE(part_of_a_round, update, Timed::kUpdate)->Apply(for_sizes)->UseManualTime();
BENCHMARK(whole_rounds)->Apply(for_sizes);
BENCHMARK(read_a_log)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fit_a_dcm, count, Method::kCount)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fit_a_dcm, em, Method::kEm)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dcmrank::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  if (argc == 1 || std::string(argv[1]) != "parts") {
    dcmrank::bench::print_tables(argc > 1 ? argv[1] : "");
  }
  return 0;
}
