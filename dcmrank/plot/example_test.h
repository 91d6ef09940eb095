#pragma once

#include "dcmrank/plot/figure.h"

namespace dcmrank {

/// A figure to look at in tests.
inline Figure example_figure(Axes axes = Axes::kLinear) {
  return {
      "It's a title",
      "step",
      "regret",
      axes,
      {{"first_one", {1, 2, 3}, {1, 4, 9}, {.1, .2, .3}}, {"second", {1, 2, 3}, {2, 3, 4}, {}}}};
}

}  // namespace dcmrank
