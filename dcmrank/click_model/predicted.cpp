#include "dcmrank/click_model/predicted.h"

#include <fmt/format.h>

#include "dcmrank/base/blame.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {

void refuse_prediction(const ClickModel& model, const char* function, std::size_t position,
                       double given) {
  throw InputError(fmt::format("click model {}: {} gives {} at position {}, not a probability",
                               quote(model.name), function, given, position + 1));
}

void refuse_satisfaction(const ClickModel& model, double given) {
  throw InputError(fmt::format("click model {}: satisfaction gives {}, not a probability",
                               quote(model.name), given));
}

void rethrow_of(const ClickModel& model, const char* function) {
  rethrow_as_input_error(fmt::format("click model {}: {}", quote(model.name), function));
}

}  // namespace dcmrank
