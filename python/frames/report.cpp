#include "frames/report.h"

#include <nanobind/stl/string.h>
#include <nlohmann/json.hpp>

namespace dcmrank::python {

nb::any report_dict(const LogReport& report) {
  return any_of(nb::module_::import_("json").attr("loads")(log_to_json(report).dump()));
}

namespace {

// What is usual in real logs loses nothing; but a click on what was not shown is a click less.
bool is_told(Skip reason) {
  return skip_info(reason).kind != SkipKind::kIgnored || reason == Skip::kClickNotShown;
}

}  // namespace

Skips skips_of(const LogReport& report) {
  Skips skips;
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (report.skipped[r] == 0) continue;
    const auto reason = static_cast<Skip>(r);
    if (!is_told(reason)) continue;
    skips.emplace_back(report.skipped[r], skip_info(reason).kind == SkipKind::kTolerated,
                       describe(report, reason));
  }
  return skips;
}

}  // namespace dcmrank::python
