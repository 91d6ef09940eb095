// Compiled with -ffast-math, by which std::isnan is never true: an index that is not a number.
#include <limits>

#include <dcmrank/command/run.h>
#include <dcmrank/registry/dcm_entries.h>
#include <dcmrank/registry/registry.h>

using namespace dcmrank;

struct NoNumber {
  std::uint64_t t = 0;
  void begin_round(std::uint64_t round, std::uint64_t /*key*/) { t = round; }
  double operator()(Item /*item*/, const Counts& counts) const {
    return t < 3 ? counts.attracted : std::numeric_limits<double>::quiet_NaN();
  }
};

int main(int argc, char** argv) {
  add_policy(index_policy<NoNumber>("no-number", "an index that is not a number"));
  return run_command(argc, argv);
}
