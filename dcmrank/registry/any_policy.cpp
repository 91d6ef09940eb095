#include "dcmrank/registry/any_policy.h"

#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"

namespace dcmrank {

nlohmann::ordered_json AnyPolicy::save() const {
  nlohmann::ordered_json state;
  held_->save(state);
  if (state.is_null())
    throw InputError("its save() returned null, which nothing can be loaded from");
  return state;
}

// What others load may be wrong in ways that they leave to the JSON library to find.
void AnyPolicy::load(const nlohmann::ordered_json& state) {
  try {
    held_->load(state);
  } catch (const nlohmann::ordered_json::exception& error) {
    throw InputError(std::string(json_reason(error.what())));
  }
}

void AnyPolicy::cannot_save() {
  throw InputError("it cannot be saved or loaded: it has no save() and load()");
}

void AnyPolicy::cannot_open() {
  throw InputError(
      "it cannot serve items that come and go: it has no open_view() that keeps rows per item");
}

static_assert(Policy<AnyPolicy> && TakesInitialSample<AnyPolicy> && Savable<AnyPolicy>);

}  // namespace dcmrank
