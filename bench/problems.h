#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dcmrank/model/dcm.h"

namespace dcmrank::bench {

struct NamedProblem {
  std::string name;
  Dcm dcm;
};
using Problems = std::vector<NamedProblem>;

/// The paper's counting is biased on this one: w = (.6, .5, .4), v = (.5, .1).
Problems bias_example();

/// The problem of Fig. 2 and the grid of Fig. 1a.
Problems fig2();
Problems fig1a();

/// Terminations that decrease, increase, and neither; L = 12, K = 5.
Problems termination_orders();

/// Close and wide gaps between the items.
Problems gaps();

/// Few and many items and positions.
Problems sizes();

/// L from 3 to 50, K from 1 to 10, all probabilities uniform. The i-th depends on (seed, i) alone.
Problems random_problems(std::size_t count, std::uint64_t seed);

/// K = 10, L from 10 to 100, attractions below .5, terminations from .3 to .7.
Problems realistic_problems(std::size_t count, std::uint64_t seed);

}  // namespace dcmrank::bench
