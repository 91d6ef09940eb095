#include "report.h"

#include <nanobind/stl/string.h>
#include <nlohmann/json.hpp>

namespace dcmrank::python {

nb::object report_dict(const LogReport& report) {
  return nb::module_::import_("json").attr("loads")(log_to_json(report).dump());
}

nb::list skips_of(const LogReport& report) {
  nb::list skips;
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (report.skipped[r] == 0) continue;
    const auto reason = static_cast<Skip>(r);
    const bool used = skip_info(reason).kind == SkipKind::kTolerated;
    skips.append(nb::make_tuple(report.skipped[r], used, describe(report, reason)));
  }
  return skips;
}

}  // namespace dcmrank::python
