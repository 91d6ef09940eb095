// What a fitted model says, as if the service had learned it.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/http/message.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/service/transfer.h"

namespace dcmrank::service {
namespace {

// As whole numbers.
Teacher::Import looks_of(const Teacher::Import& sums) {
  Teacher::Import result{sums.query, {sums.delta.rounds, {}, {}}};
  const auto whole = [](Fixed number) { return to_fixed(std::round(from_fixed(number))); };
  for (const auto& [item, row] : sums.delta.items) {
    result.delta.items[item] = Row{whole(row[0]), whole(row[1])};
  }
  return result;
}

// Whether the log said nothing of its attraction: what the fit has for it is a guess.
bool is_guess(const FittedItem& item) {
  const auto& unknown = item.unidentified;
  return std::find(unknown.begin(), unknown.end(), "attraction") != unknown.end();
}

}  // namespace

// A fitted model as counts: attraction by looks and clicks, as far as the fit could tell them. The
// file of a DCM has terminations but not how many clicks each rests on: all clicks of the query,
// spread over its positions. Others have none, and how users examine positions is not in counts of
// items: both are learned from the pages that come.
ImportBatch warm_start(std::string_view body, const std::string& model, std::size_t longest_id) {
  constexpr std::array kKnown{"dcm", "ubm", "pbm"};
  constexpr double kMost = 1U << 31U;  // of to_fixed()
  const FittedModel fitted = parse_model(body, "the model file");
  if (std::find(kKnown.begin(), kKnown.end(), fitted.model) == kKnown.end()) {
    throw ApiError{
        400, "bad_import",
        fmt::format("the model file is of a {}; a dcm, ubm or pbm is needed", fitted.model)};
  }
  ImportBatch batch;
  batch.of_fit = true;
  for (const FittedQuery& query : fitted.queries) {
    const auto fits = [&](const std::string& id) { return !id.empty() && id.size() <= longest_id; };
    const bool fit =
        fits(query.query) && std::all_of(query.items.begin(), query.items.end(),
                                         [&](const FittedItem& item) { return fits(item.item); });
    if (!fit) {
      throw ApiError{400, "bad_import",
                     fmt::format("query {}: ids must have 1 to {} bytes",
                                 quote(std::string_view(query.query).substr(0, 100)), longest_id)};
    }
    Teacher::Import result;
    result.query = query.query;
    double clicks = 0;
    double most = query.impressions;
    for (const FittedItem& item : query.items) {
      clicks += item.clicked;
      most = std::max(most, item.shown);
    }
    if (!(std::max(most, clicks) < kMost)) {
      throw ApiError{400, "bad_import",
                     fmt::format("query {}: impressions, looks and clicks must be below {}",
                                 quote(query.query), kMost)};
    }
    result.delta.rounds = static_cast<std::int64_t>(std::ceil(query.impressions));
    for (const FittedItem& item : query.items) {
      if (is_guess(item)) {
        ++batch.unidentified;
        continue;
      }
      result.delta.items[item.item].add(Row{to_fixed(item.shown), to_fixed(item.clicked)}, 1);
    }
    const auto& termination = find_list(fitted, query, "termination").values;
    for (const double v : termination) {
      const double clicked = clicks / static_cast<double>(termination.size());
      result.delta.positions.push_back({to_fixed(clicked), to_fixed(v * clicked)});
    }
    auto looks = looks_of(result);
    batch.queries.push_back({model, 0, std::move(result), std::move(looks)});
  }
  return batch;
}

}  // namespace dcmrank::service
