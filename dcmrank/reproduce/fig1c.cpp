// Fig. 1c (Sec. 5.3): termination probabilities of the most frequent queries of a log.
#include <algorithm>

#include <fmt/format.h>

#include "dcmrank/reproduce/part.h"

namespace dcmrank {
namespace {

constexpr std::size_t kShown = 5;

std::vector<Trial> fig1c_trials(const Setting& /*setting*/) { return {}; }

std::span<const QueryDcm> shown(const Setting& setting) {
  return std::span(setting.queries.queries).first(std::min(kShown, setting.queries.queries.size()));
}

Series curve(const QueryDcm& query) {
  Series series{"query " + query.query, {}, {}, {}};
  for (std::size_t k = 0; k < query.dcm.positions(); ++k) {
    series.x.push_back(static_cast<double>(k + 1));
    series.y.push_back(query.dcm.termination[k]);
  }
  return series;
}

DataTable fig1c_data(const Setting& setting) {
  DataTable table{{"query", "impressions", "items", "position", "termination"}, {}};
  for (const QueryDcm& query : shown(setting)) {
    for (std::size_t k = 0; k < query.dcm.positions(); ++k) {
      table.rows.push_back(
          {query.query, query.impressions, query.dcm.items(), k + 1, query.dcm.termination[k]});
    }
  }
  return table;
}

TextTable table(const Setting& setting) {
  TextTable rows{{"query", "impressions", "items", "first position", "largest before the last"}};
  for (const QueryDcm& query : shown(setting)) {
    const auto& v = query.dcm.termination;
    rows.push_back({query.query, fmt::format("{}", query.impressions),
                    fmt::format("{}", query.dcm.items()), fmt::format("{:.3f}", v.front()),
                    fmt::format("{:.3f}", *std::max_element(v.begin(), std::prev(v.end())))});
  }
  return rows;
}

// The last position is left out of all claims: counting estimates it as 1 whatever users do.
std::span<const double> judged(const QueryDcm& query) {
  return std::span(query.dcm.termination).first(query.dcm.positions() - 1);
}

bool decreases(const QueryDcm& query) {
  const auto v = judged(query);
  return std::is_sorted(v.rbegin(), v.rend());
}

bool first_is_largest(const QueryDcm& query) {
  const auto v = judged(query);
  return *std::max_element(v.begin(), v.end()) == v.front();
}

bool one_stands_out(const QueryDcm& query) {
  auto w = query.dcm.attraction;
  std::nth_element(w.begin(), w.begin() + 1, w.end(), std::greater<>());
  return w[0] >= 1.5 * w[1];
}

Claim share_claim(std::string id, std::string paper, std::string rule,
                  std::span<const QueryDcm> queries, bool (*holds)(const QueryDcm&)) {
  const auto n = std::count_if(queries.begin(), queries.end(), holds);
  return {std::move(id),   std::move(paper),
          std::move(rule), fmt::format("{} of {} queries", n, queries.size()),
          Length::kAny,    counted(2 * static_cast<std::size_t>(n) > queries.size())};
}

Part present_fig1c(const Setting& setting, std::span<const PolicyResult> /*results*/) {
  Part part;
  part.id = kFig1c.id;
  part.title = "Fig. 1c: termination probabilities of the most frequent queries";
  part.caption = fmt::format(
      "DCMs of the {} most frequent queries, estimated by counting as in Guo et al. 2009, from {}. "
      "The last position's estimate is 1 by construction: it says nothing.",
      shown(setting).size(), setting.queries.source);
  part.figure = {"Termination by position",
                 "position",
                 "termination probability",
                 Axes::kLinear,
                 {},
                 setting.queries.generated ? "from a generated log" : "",
                 Legend::kBelow};
  for (const QueryDcm& query : shown(setting)) part.figure.series.push_back(curve(query));
  part.table = table(setting);
  part.data = fig1c_data(setting);
  const auto all = std::span(setting.queries.queries);
  const auto five = shown(setting);
  const auto falling = std::count_if(five.begin(), five.end(), decreases);
  part.claims = {
      {"fig1c-order", "Higher positions are not necessarily more terminating in the DCMs.",
       "termination does not decrease with the position in at least one query (last one excluded)",
       fmt::format("{} of {} queries decrease", falling, five.size()), Length::kAny,
       counted(static_cast<std::size_t>(falling) < five.size())},
      share_claim("fig1c-first", "In most DCMs the first position is the most terminating.",
                  "true for more than half of the queries (last position excluded)", all,
                  first_is_largest),
      share_claim("fig1c-item",
                  "The most attractive item tends to be much more attractive than the others.",
                  "at least 1.5 times the second in more than half of the queries", all,
                  one_stands_out)};
  return part;
}

}  // namespace

const PartPlan kFig1c{"fig1c", false, true, fig1c_trials, present_fig1c};

}  // namespace dcmrank
