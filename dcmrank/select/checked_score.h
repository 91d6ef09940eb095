#pragma once

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/nan.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// What an index of somebody else gave: no order holds where a score is not a number. An infinite
/// one is in order: an item that was never observed may have it.
inline double checked_score(Item item, double score) {
  if (is_nan(score)) {
    throw InputError(fmt::format("the index of item {} is not a number", item));
  }
  return score;
}

}  // namespace dcmrank
