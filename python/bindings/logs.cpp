#include "bindings.h"

namespace dcmrank::python {

void bind_logs(nb::module_& /*m*/) {}

}  // namespace dcmrank::python
