#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/model_file/compact_model.h"
#include "dcmrank/model_file/model_file.h"

namespace dcmrank {

namespace {

[[noreturn]] void refuse_no_query(const std::string& source, std::uint64_t queries) {
  throw InputError(
      fmt::format("{} is a model of {} queries: choose one with --query", source, queries));
}

// `known` are some of its queries, for a suggestion.
[[noreturn]] void refuse_query(const std::string& source, const std::string& query,
                               std::span<const FittedQuery> known) {
  constexpr std::size_t kMost = 1000;
  std::vector<std::string> names;
  for (const FittedQuery& other : known.first(std::min(known.size(), kMost))) {
    names.push_back(other.query);
  }
  throw InputError(
      fmt::format("{} has no query {}{}; 'dcmrank inspect {}' shows the most frequent ones", source,
                  quote(query), suggestion(query, names), source));
}

FittedModel read_compact(const CompactModel& compact, const std::string& query) {
  FittedModel model = compact.head();
  if (query.empty()) {
    if (compact.queries() != 1) refuse_no_query(compact.source(), compact.queries());
    model.queries = compact.first(1);
  } else if (auto found = compact.find(query)) {
    model.queries.push_back(std::move(*found));
  } else {
    refuse_query(compact.source(), query, compact.first(1000));
  }
  return model;
}

}  // namespace

FittedModel read_model(const std::string& path, const std::string& query) {
  const MappedFile file(path);
  if (!is_compact(file.bytes())) return parse_model(file.bytes(), path);
  return read_compact(CompactModel(file.bytes(), path), query);
}

const FittedQuery& find_query(const FittedModel& model, const std::string& query,
                              const std::string& source) {
  if (query.empty() && model.queries.size() == 1) return model.queries.front();
  if (query.empty()) refuse_no_query(source, model.queries.size());
  for (const FittedQuery& candidate : model.queries) {
    if (candidate.query == query) return candidate;
  }
  refuse_query(source, query, model.queries);
}

Dcm dcm_of(const FittedModel& model, const std::string& query, const std::string& source) {
  if (model.model != "dcm") {
    throw InputError(fmt::format("{} is a model {}, not a DCM", source, quote(model.model)));
  }
  const FittedQuery& chosen = find_query(model, query, source);
  Dcm dcm;
  for (const FittedItem& item : chosen.items) dcm.attraction.push_back(item.attraction);
  dcm.termination = find_list(model, chosen, "termination").values;
  dcm.termination.resize(std::min(dcm.positions(), dcm.items()));
  try {
    check(dcm);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}, query {}: {}", source, quote(chosen.query), error.what()));
  }
  return dcm;
}

FittedModel model_of(const Dcm& dcm) {
  FittedModel model;
  model.model = "dcm";
  model.method = "problem";
  model.positions = dcm.positions();
  FittedQuery query{"1", 1, {}, {{"termination", {dcm.termination, {}}}}};
  for (std::size_t e = 0; e < dcm.items(); ++e) {
    query.items.push_back({fmt::format("{}", e + 1), dcm.attraction[e], 0, 0, 0, {}});
  }
  model.queries.push_back(std::move(query));
  return model;
}

}  // namespace dcmrank
