#include "report.h"

#include <nanobind/stl/string.h>
#include <nlohmann/json.hpp>

namespace dcmrank::python {

nb::any report_dict(const LogReport& report) {
  return any_of(nb::module_::import_("json").attr("loads")(log_to_json(report).dump()));
}

Skips skips_of(const LogReport& report) {
  Skips skips;
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (report.skipped[r] == 0) continue;
    const auto reason = static_cast<Skip>(r);
    const SkipKind kind = skip_info(reason).kind;
    if (kind == SkipKind::kIgnored) continue;
    skips.emplace_back(report.skipped[r], kind == SkipKind::kTolerated, describe(report, reason));
  }
  return skips;
}

}  // namespace dcmrank::python
