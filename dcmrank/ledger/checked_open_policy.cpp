#include "dcmrank/ledger/checked_open_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/registry/registry.h"

namespace dcmrank::service {
namespace {

// Exp3 wants to know the horizon; a service has none. Its rate changes with the square root.
constexpr std::uint64_t kHorizon = 1'000'000;

[[noreturn]] void cannot_make(const PolicySpec& spec, const std::string& why) {
  throw PolicyFault(fmt::format("policy {} cannot be made: {}", quote(spec.text), why));
}

AnyOpenPolicy make_open(const PolicySpec& spec, std::size_t positions) {
  try {
    return make_open_policy(spec, {std::max<std::size_t>(positions, 2), positions, kHorizon});
  } catch (const InputError&) {  // of whoever chose its name and its options
    throw;
  } catch (const std::exception& error) {
    cannot_make(spec, error.what());
  } catch (...) {
    cannot_make(spec, "it threw something that is no std::exception");
  }
}

}  // namespace

CheckedOpenPolicy::CheckedOpenPolicy(const PolicySpec& spec, std::size_t positions)
    : name_(spec.text),
      policy_(make_open(spec, positions)),
      family_(policy_.family()),
      check_(0, positions) {}

void CheckedOpenPolicy::refuse(const std::string& what) const {
  throw PolicyFault(fmt::format("policy {}, round {}: {}", quote(name_), round_, what));
}

void CheckedOpenPolicy::refuse_added(const char* what, std::size_t k,
                                     std::string_view fault) const {
  refuse(fmt::format("a page adds to the row of {} {} what cannot be: {}", what, k + 1, fault));
}

double CheckedOpenPolicy::number(const char* what, Item e, double value) const {
  if (std::isnan(value)) refuse(fmt::format("the {} of item {} is not a number", what, e));
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::clamp(value, -kMost, kMost);
}

std::vector<double> CheckedOpenPolicy::fit_shared(AnyOpenPolicy::Rows item_rows) const {
  auto row = guard([&] { return policy_.fit_shared(item_rows); });
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(row, finite)) refuse("what queries share is not all finite numbers");
  return row;
}

}  // namespace dcmrank::service
