#include "bindings.h"

namespace dcmrank::python {

void bind_compare(nb::module_& /*m*/) {}

}  // namespace dcmrank::python
