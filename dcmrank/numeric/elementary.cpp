#include "dcmrank/numeric/elementary.h"

#include "dcmrank/numeric/elementary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dcmrank::HWY_NAMESPACE {
namespace {

constexpr hn::CappedTag<double, 1> kSingle;

double log_of_one(double x) { return hn::GetLane(log(kSingle, hn::Set(kSingle, x))); }
double log1p_of_one(double x) { return hn::GetLane(log1p(kSingle, hn::Set(kSingle, x))); }
double exp_of_one(double x) { return hn::GetLane(exp(kSingle, hn::Set(kSingle, x))); }
double expm1_of_one(double x) { return hn::GetLane(expm1(kSingle, hn::Set(kSingle, x))); }

}  // namespace
}  // namespace dcmrank::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace dcmrank {

double same_log(double x) { return HWY_STATIC_DISPATCH(log_of_one)(x); }
double same_log1p(double x) { return HWY_STATIC_DISPATCH(log1p_of_one)(x); }
double same_exp(double x) { return HWY_STATIC_DISPATCH(exp_of_one)(x); }
double same_expm1(double x) { return HWY_STATIC_DISPATCH(expm1_of_one)(x); }

}  // namespace dcmrank
