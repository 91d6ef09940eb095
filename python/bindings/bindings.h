#pragma once

#include "frames/nb.h"

namespace dcmrank::python {

/// Each adds the names of one part of the library to the module, in a file of its own.
void bind_errors(nb::module_& m);
void bind_files(nb::module_& m);
void bind_problems(nb::module_& m);
void bind_policies(nb::module_& m);
void bind_compare(nb::module_& m);
void bind_models(nb::module_& m);
void bind_logs(nb::module_& m);
void bind_counts(nb::module_& m);

}  // namespace dcmrank::python
