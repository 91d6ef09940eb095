#pragma once

#include <cstddef>
#include <span>

#include "dcmrank/base/nan.h"
#include "dcmrank/click_model/click_model.h"

namespace dcmrank {

/// Throws InputError: the model gave this for a position, counted from 0.
[[noreturn]] void refuse_prediction(const ClickModel& model, const char* function,
                                    std::size_t position, double given);

/// Throws InputError: this was given for the probability of a satisfied user.
[[noreturn]] void refuse_satisfaction(const ClickModel& model, double given);

/// Call where an exception is being handled, which a function of the model threw: throws InputError
/// that names both. An interruption, and that memory ran out, stay what they are.
[[noreturn]] void rethrow_of(const ClickModel& model, const char* function);

/// What a function of the model gives; rethrow_of() where it throws.
template <class Call>
auto ask(const ClickModel& model, const char* function, const Call& call) {
  try {
    return call();
  } catch (...) {
    rethrow_of(model, function);
  }
}

/// Of a model that somebody else wrote: whether it is a probability. Rounding may take it a little
/// beyond.
inline bool is_probability(double p) {
  constexpr double kRounding = 1e-9;
  return !is_nan(p) && p >= -kRounding && p <= 1 + kRounding;
}

/// model.full(), checked.
inline void predict_full(const ClickModel& model, const PageParameters& page, std::span<double> p) {
  ask(model, "full", [&] { model.full(page, p); });
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (!is_probability(p[k])) refuse_prediction(model, "full", k, p[k]);
  }
}

/// model.conditional(), checked.
inline void predict_conditional(const ClickModel& model, const PageParameters& page, Clicks clicks,
                                std::span<double> p) {
  ask(model, "conditional", [&] { model.conditional(page, clicks, p); });
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (!is_probability(p[k])) refuse_prediction(model, "conditional", k, p[k]);
  }
}

/// model.satisfaction(), where it has one, checked.
inline double predict_satisfaction(const ClickModel& model, const PageParameters& page) {
  const double p = ask(model, "satisfaction", [&] { return model.satisfaction(page); });
  if (!is_probability(p)) refuse_satisfaction(model, p);
  return p;
}

/// What model.conditional() gives for the last position of `p` alone, checked.
inline double predict_next(const ClickModel& model, const PageParameters& page, Clicks clicks,
                           std::span<double> p) {
  ask(model, "conditional", [&] { model.conditional(page, clicks, p); });
  if (!is_probability(p.back())) refuse_prediction(model, "conditional", p.size() - 1, p.back());
  return p.back();
}

}  // namespace dcmrank
