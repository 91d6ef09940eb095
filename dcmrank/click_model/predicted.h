#pragma once

#include <cstddef>
#include <span>

#include "dcmrank/click_model/click_model.h"

namespace dcmrank {

/// Throws InputError: the model gave this for a position, counted from 0.
[[noreturn]] void refuse_prediction(const ClickModel& model, const char* function,
                                    std::size_t position, double given);

/// Of a model that somebody else wrote: whether it is a probability. Rounding may take it a little
/// beyond.
inline bool is_probability(double p) {
  constexpr double kRounding = 1e-9;
  return p >= -kRounding && p <= 1 + kRounding;
}

/// model.full(), checked.
inline void predict_full(const ClickModel& model, const PageParameters& page, std::span<double> p) {
  model.full(page, p);
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (!is_probability(p[k])) refuse_prediction(model, "full", k, p[k]);
  }
}

/// model.conditional(), checked.
inline void predict_conditional(const ClickModel& model, const PageParameters& page, Clicks clicks,
                                std::span<double> p) {
  model.conditional(page, clicks, p);
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (!is_probability(p[k])) refuse_prediction(model, "conditional", k, p[k]);
  }
}

/// What model.conditional() gives for the last position of `p` alone, checked.
inline double predict_next(const ClickModel& model, const PageParameters& page, Clicks clicks,
                           std::span<double> p) {
  model.conditional(page, clicks, p);
  if (!is_probability(p.back())) refuse_prediction(model, "conditional", p.size() - 1, p.back());
  return p.back();
}

}  // namespace dcmrank
