#include "bindings.h"

namespace dcmrank::python {

void bind_problems(nb::module_& /*m*/) {}

}  // namespace dcmrank::python
