#include "dcmrank/sweep/former.h"

#include <algorithm>
#include <exception>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/sweep/sweep.h"

namespace dcmrank {
namespace {

using nlohmann::ordered_json;

// What a cell was asked for by, whatever columns other cells brought into the table.
std::string parameters_of(const ordered_json& cell) {
  std::set<std::string> parameters;
  for (const auto& [name, value] : cell.items()) {
    if (!is_measured(name) && !value.is_null()) parameters.insert(name + "=" + value.dump());
  }
  return fmt::format("{}", fmt::join(parameters, "\n"));
}

ordered_json former_cells(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return ordered_json::array();
  try {
    return parse_json(read_file(file), file).at("cells");
  } catch (const std::exception&) {  // it is replaced, whatever it is
    return ordered_json::array();
  }
}

}  // namespace

std::string replaced_note(const std::filesystem::path& folder, const SweepPlan& plan) {
  const ordered_json former = former_cells(folder / "sweep.json");
  if (former.empty()) return {};
  std::set<std::string> planned;
  const ordered_json cells =
      sweep_to_json(plan, sweep_cells(plan, results_before(plan))).at("cells");
  for (const ordered_json& cell : cells) planned.insert(parameters_of(cell));
  const auto lost = std::count_if(former.begin(), former.end(), [&](const ordered_json& cell) {
    return !planned.contains(parameters_of(cell));
  });
  if (lost == 0) return {};
  return fmt::format(
      "{} will be replaced, and the new table will lack {} of the old one, which this grid does "
      "not "
      "ask for; to keep the old table, give another --out",
      (folder / "sweep.csv").string(), how_many(static_cast<std::uint64_t>(lost), "row"));
}

}  // namespace dcmrank
