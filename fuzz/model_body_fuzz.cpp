// The body that makes or changes a model: refused, or a model that can be used.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dcmrank/base/duration.h"
#include "dcmrank/base/error.h"
#include "dcmrank/ledger/model.h"
#include "dcmrank/service/bodies.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dcmrank::service;
  static BodyParser parser{Limits()};
  try {
    const ModelRequest request =
        parser.model(std::string_view(reinterpret_cast<const char*>(data), size));
    if (request.close_after) dcmrank::print_duration(*request.close_after);
    Model model;
    set_policy(model, request.policy.value_or("recommended"));
    model.k = request.k.value_or(10);
    check_model(model);
  } catch (const ApiError&) {
  } catch (const dcmrank::InputError&) {
  }
  return 0;
}
