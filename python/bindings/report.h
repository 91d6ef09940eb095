#pragma once

#include "bindings.h"
#include "dcmrank/log/report.h"

namespace dcmrank::python {

/// The member "log" of files as a dict.
nb::object report_dict(const LogReport& report);

/// What was skipped or tolerated: (how many, whether it was used all the same, where it was first).
nb::list skips_of(const LogReport& report);

}  // namespace dcmrank::python
