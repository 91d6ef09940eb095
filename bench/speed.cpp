#include "speed.h"

#include <cmath>
#include <ctime>
#include <variant>

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/registry/built_in.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/sim/simulation.h"
#include "dcmrank/users/dcm_users.h"
#include "plain.h"

namespace dcmrank::bench {
namespace {

template <Policy P>
double cost(P policy, const Dcm& dcm, std::uint64_t n, std::uint64_t run) {
  const Shape shape{dcm.items(), dcm.positions(), n};
  const double start = cpu_seconds();
  Simulation simulation(std::move(policy), DcmUsers(dcm, 1, run), shape,
                        Rng(stream_key(Stream::kPolicy, 1, run)));
  simulation.advance(n);
  return 1e9 * (cpu_seconds() - start) / static_cast<double>(n);
}

}  // namespace

Dcm lower_bound_problem(std::size_t items, std::size_t positions) {
  return make_dcm({.items = items, .positions = positions, .p = .2, .gap = .15, .gamma = .5});
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double round_cost(const std::string& policy, const Dcm& dcm, std::uint64_t n, std::uint64_t run) {
  AnyPolicy any = make_policy(parse_policy_spec(policy), {dcm.items(), dcm.positions(), n});
  return visit_policy(any, [&](auto& p) { return cost(std::move(p), dcm, n, run); });
}

double plain_round_cost(const Dcm& dcm, std::uint64_t n, std::uint64_t run) {
  return cost(PlainDcmKlUcb(dcm.items(), dcm.positions()), dcm, n, run);
}

std::vector<KlUcbBatch> realistic_batches(std::size_t count) {
  Rng rng(1);
  std::vector<KlUcbBatch> batches(count);
  for (KlUcbBatch& batch : batches) {
    batch.size = KlUcbBatch::kRoom;
    for (std::size_t i = 0; i < batch.size; ++i) {
      batch.observed[i] = std::floor(1 + std::exp(11 * rng.uniform()));
      const double mean = (rng.uniform() < .5 ? .05 : .3) * (.5 + rng.uniform());
      batch.attracted[i] = std::floor(batch.observed[i] * mean);
      batch.budget[i] = paper_budget(100 + rng.below(1'000'000));
    }
  }
  return batches;
}

}  // namespace dcmrank::bench
