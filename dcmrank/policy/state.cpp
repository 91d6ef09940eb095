#include "dcmrank/policy/state.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

// A part is at most its whole, but for what rounding does to sums of fractions.
void check_parts(const char* part, const std::vector<double>& parts, const char* whole,
                 const std::vector<double>& wholes) {
  for (std::size_t n = 0; n < parts.size(); ++n) {
    if (parts[n] <= wholes[n] * (1 + 1e-9) + 1e-9) continue;
    throw InputError(fmt::format("\"{}\"[{}] is {}, more than \"{}\"[{}], which is {}", part, n,
                                 parts[n], whole, n, wholes[n]));
  }
}

}  // namespace

ordered_json counts_to_json(std::span<const Counts> counts) {
  ordered_json observed = ordered_json::array();
  ordered_json attracted = ordered_json::array();
  for (const Counts& c : counts) {
    observed.push_back(c.observed);
    attracted.push_back(c.attracted);
  }
  return {{"observed", std::move(observed)}, {"attracted", std::move(attracted)}};
}

void counts_from_json(const ordered_json& state, std::span<Counts> counts) {
  const auto& json = fields::member(state, "counts");
  const auto observed = fields::numbers(json, "observed", fields::kCount, counts.size());
  const auto attracted = fields::numbers(json, "attracted", fields::kCount, counts.size());
  check_parts("attracted", attracted, "observed", observed);
  for (std::size_t n = 0; n < counts.size(); ++n) counts[n] = {observed[n], attracted[n]};
}

ordered_json terminations_to_json(std::span<const TerminationCounts> counts) {
  ordered_json clicked = ordered_json::array();
  ordered_json terminated = ordered_json::array();
  for (const TerminationCounts& c : counts) {
    clicked.push_back(c.clicked);
    terminated.push_back(c.terminated);
  }
  return {{"clicked", std::move(clicked)}, {"terminated", std::move(terminated)}};
}

void terminations_from_json(const ordered_json& state, std::span<TerminationCounts> counts) {
  if (!state.contains("terminations")) return;
  const auto& json = state.at("terminations");
  const auto clicked = fields::numbers(json, "clicked", fields::kCount, counts.size());
  const auto terminated = fields::numbers(json, "terminated", fields::kCount, counts.size());
  check_parts("terminated", terminated, "clicked", clicked);
  for (std::size_t k = 0; k < counts.size(); ++k) counts[k] = {clicked[k], terminated[k]};
}

ordered_json doubts_to_json(std::span<const Doubt> doubts) {
  ordered_json pages = ordered_json::array();
  ordered_json weight = ordered_json::array();
  ordered_json believed = ordered_json::array();
  for (const Doubt& d : doubts) {
    pages.push_back(d.pages);
    weight.push_back(d.weight);
    believed.push_back(d.believed);
  }
  return {{"pages", std::move(pages)},
          {"weight", std::move(weight)},
          {"believed", std::move(believed)}};
}

void doubts_from_json(const ordered_json& state, const char* name, std::span<Doubt> doubts) {
  if (!state.contains(name)) return;
  const auto pages = fields::numbers(state.at(name), "pages", fields::kCount, doubts.size());
  const auto weight = fields::numbers(state.at(name), "weight", fields::kCount, doubts.size());
  const auto believed = fields::numbers(state.at(name), "believed", fields::kCount, doubts.size());
  check_parts("weight", weight, "pages", pages);
  check_parts("believed", believed, "pages", pages);
  for (std::size_t n = 0; n < doubts.size(); ++n) doubts[n] = {pages[n], weight[n], believed[n]};
}

std::uint64_t round_from_json(const ordered_json& state) {
  return fields::whole_number(state, "round", 1, UINT64_MAX);
}

}  // namespace dcmrank
