#include "dcmrank/click_model/attraction_interval.h"

#include "dcmrank/click_model/click_model.h"

namespace dcmrank {

std::optional<Interval> attraction_interval(const FittedModel& model, const FittedItem& item) {
  if (item.interval) return item.interval;
  const bool counted = model.method == name_of(Method::kCount);
  if (!counted || !click_model(model.model, "\"model\"").counts_are_trials) return std::nullopt;
  return wilson_interval({item.shown, item.clicked});
}

}  // namespace dcmrank
