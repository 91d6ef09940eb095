// The calls that look at what a model has learned of its queries.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/fit/interval.h"
#include "dcmrank/http/json_writer.h"
#include "dcmrank/ledger/learner.h"
#include "dcmrank/model/prior.h"
#include "dcmrank/service/api.h"

namespace dcmrank::service {
namespace {

// The interval is that of clicks per look; where looks are not told apart from pages, it is that of
// clicks per page, in the proportion in which attraction is above it. `unknown`: what an item is
// taken for of which nothing is known. Two looks at such a one are the prior of both, so that it is
// not taken for what was seen.
void append_item(std::string& out, std::string_view id, const Counts& counts, double estimate,
                 double unknown) {
  const Interval interval = wilson_interval(counts);
  const double per_page = (counts.attracted + 2 * unknown) / (counts.observed + 2);
  const double scale = per_page > 0 ? estimate / per_page : 1;
  out += R"({"id":)";
  append_text(out, id);
  out += R"(,"observed":)";
  append_number(out, counts.observed);
  out += R"(,"attracted":)";
  append_number(out, counts.attracted);
  out += R"(,"estimate":)";
  append_number(out, estimate);
  out += R"(,"interval":[)";
  append_number(out, std::min(1.0, scale * interval.low));
  out += ',';
  append_number(out, std::min(1.0, scale * interval.high));
  out += "]}";
}

}  // namespace

void Api::list_queries(const Model& model, std::string_view query, std::string& out) {
  constexpr std::int64_t kMost = 1000;
  const std::string text = parameter(query, "limit");
  const auto limit = text.empty() ? 100 : parse_unsigned(text).value_or(0);
  if (limit < 1 || limit > kMost) {
    throw ApiError{400, "bad_parameter", fmt::format("limit must be from 1 to {}", kMost), "limit"};
  }
  const auto found =
      store().queries(model.id, parameter(query, "after"), static_cast<std::size_t>(limit));
  out += R"({"queries":[)";
  for (const auto& entry : found) {
    if (out.back() != '[') out += ',';
    out += R"({"query":)";
    append_text(out, entry.name);
    out += R"(,"rounds":)";
    append_number(out, entry.rounds);
    out += '}';
  }
  out += ']';
  if (found.size() == limit) {
    out += R"(,"next":)";
    append_text(out, found.back().name);
  }
  out += '}';
}

void Api::get_query(const Model& model, const std::string& query, std::string& out) {
  QueryState state;
  if (!store().load_state({model.id, query}, state)) {
    throw ApiError{404, "unknown_query", "nothing is known about this query", "query"};
  }
  out += R"({"query":)";
  append_text(out, query);
  out += R"(,"rounds":)";
  append_number(out, state.rounds);
  out += R"(,"items":[)";
  std::vector<const ItemRows::Entry*> items;
  for (const auto& entry : state.items.entries()) items.push_back(&entry);
  std::sort(items.begin(), items.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  std::vector<Candidate> candidates;
  candidates.reserve(items.size());
  for (const auto* entry : items) candidates.push_back({entry->id, id_hash(entry->id), {}});
  candidates.push_back({"", id_hash(""), {}});  // no item has this id: nothing is known of it
  Learner learner(model.policy, model.k);       // as large as the query: it is not kept
  learner.take(state, candidates, shared_of(model), 0);
  const double unknown = learner.estimate(static_cast<Item>(items.size()));
  for (Item e = 0; e < items.size(); ++e) {
    if (e > 0) out += ',';
    append_item(out, items[e]->id, counts_in(model.family, items[e]->row()), learner.estimate(e),
                unknown);
  }
  out += R"(],"termination":[)";
  const std::size_t positions = model.family.has_terminations ? state.positions.size() : 0;
  for (std::size_t k = 0; k < positions; ++k) {
    if (k > 0) out += ',';
    append_number(out, posterior_mean(termination_in(state.positions[k])));
  }
  out += "]}";
}

}  // namespace dcmrank::service
