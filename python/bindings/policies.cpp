#include "bindings.h"

namespace dcmrank::python {

void bind_policies(nb::module_& /*m*/) {}

}  // namespace dcmrank::python
