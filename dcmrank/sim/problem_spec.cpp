#include "dcmrank/sim/problem_spec.h"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace dcmrank {
namespace {

std::string order_of(const Dcm& dcm) {
  auto order = decreasing_order(dcm.termination);
  for (std::size_t& position : order) ++position;
  return fmt::format("{}", fmt::join(order, ","));
}

std::string text_of(const PolicySpec& spec) {
  std::vector<std::string> options;
  for (const auto& [name, value] : spec.options)
    options.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}:{}", spec.name, fmt::join(options, ","));
}

}  // namespace

PolicySpec for_problem(PolicySpec spec, const Dcm& dcm) {
  bool changed = false;
  for (auto& [name, value] : spec.options) {
    if (value != "problem") continue;
    if (name == "order") value = order_of(dcm);
    if (name == "terminations") value = fmt::format("{}", fmt::join(dcm.termination, ","));
    changed = true;
  }
  if (changed) spec.text = text_of(spec);
  return spec;
}

}  // namespace dcmrank
