#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>  // without it strings are silently not arguments

namespace dcmrank::python {

namespace nb = nanobind;

/// For what may take a while (files, large states, a search for the best list) and needs neither
/// Python nor anything that another thread may change: other threads go on meanwhile.
using Alone = nb::call_guard<nb::gil_scoped_release>;

}  // namespace dcmrank::python
