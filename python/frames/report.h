#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "dcmrank/page/report.h"
#include "frames/nb.h"

namespace dcmrank::python {

/// For results whose type stubs cannot say.
inline nb::any any_of(nb::object object) { return nb::steal<nb::any>(object.release()); }

/// The member "log" of files as a dict.
nb::any report_dict(const LogReport& report);

/// What a strict reader would have stopped at: how many, whether they were used all the same, and
/// where the first was; and clicks on what was not shown, which are lost. What else is usual in
/// real logs is in the report alone.
using Skips = std::vector<std::tuple<std::uint64_t, bool, std::string>>;
Skips skips_of(const LogReport& report);

}  // namespace dcmrank::python
