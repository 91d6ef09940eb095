#include "dcmrank/ledger/delta.h"

#include <algorithm>

namespace dcmrank::service {

void QueryDelta::add(const Page& page, const Contribution& contribution, int sign) {
  if (!contribution.counted) return;
  rounds += sign;
  positions.resize(std::max(positions.size(), contribution.positions.size()));
  for (std::size_t k = 0; k < contribution.positions.size(); ++k) {
    positions[k].add(contribution.positions[k], sign);
  }
  for (std::size_t k = 0; k < contribution.items.size(); ++k) {
    if (!page.items[k].empty()) items[page.items[k]].add(contribution.items[k], sign);
  }
}

}  // namespace dcmrank::service
