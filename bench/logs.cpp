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

#include "dcmrank/fit/statistics.h"
#include "generated_log.h"

namespace dcmrank {
namespace {

namespace fs = std::filesystem;

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

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// CPU time of this process and of the children it waited for.
double cpu_seconds() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    sum += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  return sum;
}

double wall_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

struct Times {
  std::vector<double> wall;  // increasing
  std::vector<double> cpu;   // increasing
};

double median(const std::vector<double>& sorted) { return sorted[sorted.size() / 2]; }

Times measure(int rounds, const std::function<std::uint64_t()>& work) {
  Times times;
  for (int i = 0; i < rounds; ++i) {
    const double wall = wall_seconds();
    const double cpu = cpu_seconds();
    if (work() == 0) std::abort();
    times.wall.push_back(wall_seconds() - wall);
    times.cpu.push_back(cpu_seconds() - cpu);
  }
  std::sort(times.wall.begin(), times.wall.end());
  std::sort(times.cpu.begin(), times.cpu.end());
  return times;
}

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run(std::uint64_t megabytes) {
  const fs::path file = fs::temp_directory_path() / fmt::format("dcmrank-bench-{}.tsv", ::getpid());
  bench::write_log(file, megabytes * 1'000'000);
  const double size = static_cast<double>(fs::file_size(file)) / 1e6;
  count(file, 1);  // warms the cache
  const Times words = measure(5, [&] { return wc(file); });
  const Times one = measure(7, [&] { return count(file, 1); });
  const Times two = measure(7, [&] { return count(file, 2); });
  const double peak = peak_megabytes();
  const Times streams = measure(1, [&] { return count_by_streams(file); });
  fs::remove(file);
  fmt::print("{:.0f} MB of yandex2011, warm cache; median (least to most)\n", size);
  const auto row = [&](const char* name, const Times& t) {
    fmt::print(
        "{:<30} wall {:6.3f} s ({:.3f} to {:.3f}), {:5.0f} MB/s, {:5.2f}x; CPU {:6.3f} s ({:.3f} "
        "to "
        "{:.3f}), {:5.0f} MB/s\n",
        name, median(t.wall), t.wall.front(), t.wall.back(), size / median(t.wall),
        median(t.wall) / median(one.wall), median(t.cpu), t.cpu.front(), t.cpu.back(),
        size / median(t.cpu));
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
