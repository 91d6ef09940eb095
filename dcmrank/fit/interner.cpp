#include "dcmrank/fit/interner.h"

#include <algorithm>
#include <stdexcept>

namespace dcmrank {

void Interner::grow() {
  if (entries_.size() >= kAbsent - 1) throw std::runtime_error("more than 4 billion ids");
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), {0, kAbsent});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t n = 0; n < entries_.size(); ++n) {
    const std::uint64_t hash = key(entries_[n].scope, Id(text(n)));
    std::size_t s = hash & mask;
    while (slots_[s].entry != kAbsent) s = (s + 1) & mask;
    slots_[s] = {static_cast<std::uint32_t>(hash >> 32U), n};
  }
}

}  // namespace dcmrank
