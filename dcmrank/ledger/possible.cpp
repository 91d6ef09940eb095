#include "dcmrank/ledger/possible.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/text.h"

namespace dcmrank::service {
namespace {

std::string_view fault_in(RowFamily::Fault fault, const Row& row, double pages,
                          std::vector<double>& numbers) {
  if (fault == nullptr || row.empty()) return "";
  numbers.resize(std::max<std::size_t>(row.size(), 4));
  read_row(row, numbers);
  return fault(numbers, pages);
}

}  // namespace

std::string fault_of(const QueryDelta& sums, const RowFamily& family) {
  const auto pages = static_cast<double>(sums.rounds);
  std::vector<double> numbers;
  for (const auto& [item, row] : sums.items) {
    const auto fault = fault_in(family.item_fault, row, pages, numbers);
    if (!fault.empty()) return fmt::format("item {}: {}", quote(item), fault);
  }
  for (std::size_t k = 0; k < sums.positions.size(); ++k) {
    const auto fault = fault_in(family.position_fault, sums.positions[k], pages, numbers);
    if (!fault.empty()) return fmt::format("position {}: {}", k + 1, fault);
  }
  return "";
}

}  // namespace dcmrank::service
