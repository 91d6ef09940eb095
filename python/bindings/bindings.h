#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>  // without it text is no argument, which nobody would be told

namespace dcmrank::python {

namespace nb = nanobind;

/// For what may take a while (files, large states, a search for the best list) and needs neither
/// Python nor anything that another thread may change: other threads go on meanwhile.
using Alone = nb::call_guard<nb::gil_scoped_release>;

/// Each adds the names of one part of the library to the module, in a file of its own.
void bind_errors(nb::module_& m);
void bind_files(nb::module_& m);
void bind_problems(nb::module_& m);
void bind_policies(nb::module_& m);
void bind_compare(nb::module_& m);
void bind_models(nb::module_& m);
void bind_logs(nb::module_& m);

}  // namespace dcmrank::python
