// An index of one's own: one formula. UCB1 (Auer, Cesa-Bianchi and Fischer, 2002); counting,
// placement, saved states and the view for a service come with the family of dcmKL-UCB.
#include <cmath>
#include <limits>

#include <dcmrank/command/run.h>
#include <dcmrank/registry/dcm_entries.h>

class Ucb1 {
 public:
  void begin_round(std::uint64_t t, std::uint64_t /*key*/) {
    budget_ = 1.5 * std::log(static_cast<double>(t));
  }
  double operator()(dcmrank::Item /*item*/, const dcmrank::Counts& counts) const {
    if (counts.observed <= 0) return std::numeric_limits<double>::infinity();
    return counts.attracted / counts.observed + std::sqrt(budget_ / counts.observed);
  }

 private:
  double budget_ = 0;
};

int main(int argc, char** argv) {
  dcmrank::add_policy(dcmrank::index_policy<Ucb1>("dcm-ucb1", "UCB1 with the repaired counting"));
  return dcmrank::run_command(argc, argv);
}
