#include "bindings.h"

namespace dcmrank::python {

void bind_models(nb::module_& /*m*/) {}

}  // namespace dcmrank::python
