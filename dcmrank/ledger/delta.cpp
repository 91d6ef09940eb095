#include "dcmrank/ledger/delta.h"

#include <algorithm>

namespace dcmrank::service {

void QueryDelta::add(const Page& page, const Contribution& contribution, int sign) {
  if (!contribution.counted) return;
  rounds += sign;
  positions.resize(std::max(positions.size(), contribution.positions.size()));
  for (std::size_t k = 0; k < contribution.positions.size(); ++k) {
    add_row(positions[k], contribution.positions[k], sign);
  }
  for (std::size_t k = 0; k < contribution.items.size(); ++k) {
    if (!page.items[k].empty()) add_row(items[page.items[k]], contribution.items[k], sign);
  }
}

}  // namespace dcmrank::service
