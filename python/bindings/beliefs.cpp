// What policies believe, read from the states that they save: no policy is asked in a way of its
// own.
#include "beliefs.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/model/counts.h"
#include "dcmrank/model/prior.h"

namespace dcmrank::python {
namespace {

using nlohmann::ordered_json;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Counts of items, or of items at positions.
struct Beliefs {
  std::vector<Counts> counts;
  std::size_t positions = 1;    // for each item, one after the other
  bool tell_attraction = true;  // else what was clicked depends on where it stood
};

std::vector<Counts> counts_in(const ordered_json& json) {
  const auto observed = json.at("observed").get<std::vector<double>>();
  const auto attracted = json.at("attracted").get<std::vector<double>>();
  std::vector<Counts> counts;
  for (std::size_t n = 0; n < observed.size(); ++n)
    counts.push_back({observed[n], attracted.at(n)});
  return counts;
}

// A bandit for each position: theirs are put beside each other, item by item.
Beliefs of_positions(const ordered_json& positions, std::size_t items) {
  Beliefs beliefs{std::vector<Counts>(items * positions.size()), positions.size()};
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const auto counts = counts_in(positions[k].at("counts"));
    for (std::size_t e = 0; e < items; ++e)
      beliefs.counts.at(e * positions.size() + k) = counts.at(e);
  }
  return beliefs;
}

// A table of contexts: what was shown and clicked in any of them.
Beliefs of_cells(const ordered_json& state, std::size_t items) {
  Beliefs beliefs{std::vector<Counts>(items), 1, false};
  for (const char* part : {"cells", "since"}) {
    if (!state.contains(part)) continue;
    for (const ordered_json& cell : state.at(part)) {
      beliefs.counts.at(cell.at(0).get<std::size_t>())
          .merge({cell.at(2).get<double>(), cell.at(3).get<double>()});
    }
  }
  return beliefs;
}

std::optional<Beliefs> find_beliefs(const ordered_json& state, std::size_t items) {
  if (state.contains("dcm")) return find_beliefs(state.at("dcm"), items);
  if (state.contains("counts")) {
    Beliefs beliefs{counts_in(state.at("counts")), 1};
    beliefs.positions = beliefs.counts.size() / items;
    return beliefs;
  }
  if (state.contains("cells")) return of_cells(state, items);
  if (state.contains("positions") && state.at("positions").at(0).contains("counts")) {
    return of_positions(state.at("positions"), items);
  }
  return std::nullopt;
}

}  // namespace

Table beliefs_of(const NativePolicy& policy) {
  const std::size_t items = policy.shape().items;
  const auto found = find_beliefs(policy.save().at("state"), items);
  if (!found) {
    throw InputError(
        fmt::format("policy {} counts no clicks of items; to_json() has all it learned",
                    quote(policy.spec().text)));
  }
  std::vector<Column> columns{make_column("item", Column::Kind::kWhole)};
  const bool has_positions = found->positions > 1;
  if (has_positions) columns.push_back(make_column("position", Column::Kind::kWhole));
  for (const char* name : {"observed", "attracted", "estimate"}) {
    columns.push_back(make_column(name, Column::Kind::kReal));
  }
  const std::size_t first = columns.size() - 3;
  for (std::size_t n = 0; n < found->counts.size(); ++n) {
    columns[0].whole.push_back(static_cast<std::int64_t>(n / found->positions));
    if (has_positions) {
      columns[1].whole.push_back(static_cast<std::int64_t>(n % found->positions + 1));
    }
    columns[first].real.push_back(found->counts[n].observed);
    columns[first + 1].real.push_back(found->counts[n].attracted);
    columns[first + 2].real.push_back(found->tell_attraction ? posterior_mean(found->counts[n])
                                                             : kMissing);
  }
  return Table(std::move(columns));
}

}  // namespace dcmrank::python
