// Reading logs: the yandex2011 reader with counting against `wc -l` and against std::getline with a
// stream per line, on one generated file in a warm cache. Prints medians and spreads, and ratios of
// the same run. usage: bench_logs [MEGABYTES]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "dcmrank/click_model/generate.h"
#include "dcmrank/fit/statistics.h"

namespace dcmrank {
namespace {

namespace fs = std::filesystem;

// 1,000 queries whose frequencies fall as 1/rank, 30 items each, lists of 10 in random order:
// hardly a list comes twice.
FittedModel make_model() {
  FittedModel model;
  model.model = "dcm";
  model.positions = 10;
  for (int k = 0; k < 10; ++k) model.termination.push_back(0.5 - 0.04 * k);
  Rng rng(1);
  for (int q = 1; q <= 1000; ++q) {
    FittedQuery query{fmt::format("{}", 1000 + rng.below(10'000'000)), 1e6 / q, {}, {}, {}};
    for (int i = 0; i < 30; ++i) {
      query.items.push_back({fmt::format("{}", 1'000'000 + rng.below(100'000'000)),
                             0.02 + 0.48 * rng.uniform(), 0, 0, 0, 0});
    }
    model.queries.push_back(std::move(query));
  }
  return model;
}

void write_log(const fs::path& file, std::uint64_t bytes) {
  const FittedModel model = make_model();
  LogGenerator generator(model, RankingKind::kRandom, Rng(2));
  std::ofstream out(file, std::ios::binary);
  std::string text;
  std::uint64_t written = 0;
  for (std::uint64_t session = 0; written < bytes; ++session) {
    kYandex2011.write(generator.next(), session, text);
    if (text.size() < (1U << 20U)) continue;
    out << text;
    written += text.size();
    text.clear();
  }
}

std::uint64_t count(const fs::path& file, unsigned threads) {
  const Log log = open_log({file.string()}, kYandex2011);
  return collect(log, {threads, true, {}}, {}).report.lines;
}

std::uint64_t count_by_streams(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t lines = 0;
  std::string word;
  for (std::string line; std::getline(in, line); ++lines) {
    std::istringstream fields(line);
    while (fields >> word) continue;
  }
  return lines;
}

std::uint64_t wc(const fs::path& file) {
  return std::system(fmt::format("wc -l '{}' >/dev/null", file.string()).c_str()) == 0 ? 1 : 0;
}

struct Times {
  double median = 0;
  double least = 0;
  double most = 0;
};

Times measure(int rounds, const std::function<std::uint64_t()>& work) {
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (work() == 0) std::abort();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back()};
}

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run(std::uint64_t megabytes) {
  const fs::path file = fs::temp_directory_path() / fmt::format("dcmrank-bench-{}.tsv", ::getpid());
  write_log(file, megabytes * 1'000'000);
  const double size = static_cast<double>(fs::file_size(file)) / 1e6;
  count(file, 1);  // warms the cache
  const Times words = measure(5, [&] { return wc(file); });
  const Times one = measure(7, [&] { return count(file, 1); });
  const Times two = measure(7, [&] { return count(file, 2); });
  const double peak = peak_megabytes();
  const Times streams = measure(1, [&] { return count_by_streams(file); });
  fs::remove(file);
  fmt::print("{:.0f} MB of yandex2011, warm cache; wall time, median (least to most)\n", size);
  const auto row = [&](const char* name, const Times& t) {
    fmt::print("{:<28} {:7.3f} s ({:.3f} to {:.3f})  {:6.0f} MB/s (best {:.0f})  {:6.2f}x\n", name,
               t.median, t.least, t.most, size / t.median, size / t.least, t.median / one.median);
  };
  row("wc -l", words);
  row("read and count, 1 thread", one);
  row("read and count, 2 threads", two);
  row("getline and streams, no count", streams);
  fmt::print("peak memory of reading and counting, 2 threads: {:.0f} MB\n", peak);
}

}  // namespace
}  // namespace dcmrank

int main(int argc, char** argv) {
  dcmrank::run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 320);
  return 0;
}
