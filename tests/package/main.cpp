#include <cstdio>
#include <vector>

#include <dcmrank/registry/registry.h>
#include <dcmrank/sim/experiment.h>
#include <dcmrank/users/dcm_users.h>

int main() {
  const dcmrank::Dcm dcm{{.6, .5, .4}, {.5, .1}};
  const std::vector<dcmrank::PolicySpec> policies{dcmrank::parse_policy_spec("recommended")};
  const auto results = compare(dcm, policies, {.steps = 100, .runs = 2, .seed = 1});
  std::printf("regret %.3f\n", results[0].regret.mean);
  return results[0].regret.mean >= 0 ? 0 : 1;
}
