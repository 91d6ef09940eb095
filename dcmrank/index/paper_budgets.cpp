#include "dcmrank/index/paper_budgets.h"

#undef HWY_TARGET_INCLUDE
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define HWY_TARGET_INCLUDE "dcmrank/index/paper_budgets.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include "dcmrank/numeric/elementary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dcmrank::HWY_NAMESPACE {
namespace {

// log t + 3 log log t, as paper_budget(), of t that are at least 2.
void fill_budgets(double* t, std::size_t size) {
  const hn::CappedTag<double, 8> d;
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto log_t = log(d, hn::Load(d, t + i));
    const auto sum = hn::Add(log_t, hn::Mul(hn::Set(d, 3.0), log(d, log_t)));
    hn::Store(hn::Max(hn::Zero(d), sum), d, t + i);
  }
}

}  // namespace
}  // namespace dcmrank::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dcmrank {

HWY_EXPORT(fill_budgets);

void PaperBudgets::fill(std::uint64_t first) {
  first_ = first;
  for (std::size_t i = 0; i < kAhead; ++i) {
    ahead_[i] = static_cast<double>(first + i < 2 ? 2 : first + i);
  }
  HWY_DYNAMIC_DISPATCH(fill_budgets)(ahead_.data(), kAhead);
}

}  // namespace dcmrank
#endif
