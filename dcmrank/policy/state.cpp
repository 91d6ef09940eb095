#include "dcmrank/policy/state.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

const ordered_json& member(const ordered_json& state, const char* name) {
  if (!state.is_object() || !state.contains(name)) {
    throw InputError(fmt::format("policy state: \"{}\" is missing", name));
  }
  return state.at(name);
}

// A part is at most its whole, but for what rounding does to sums of fractions.
void check_parts(const char* part, const std::vector<double>& parts, const char* whole,
                 const std::vector<double>& wholes) {
  for (std::size_t n = 0; n < parts.size(); ++n) {
    if (parts[n] <= wholes[n] * (1 + 1e-9) + 1e-9) continue;
    throw InputError(
        fmt::format("policy state: \"{}\"[{}] is {}, more than \"{}\"[{}], which is {}", part, n,
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

const ordered_json& array_from_json(const ordered_json& state, const char* name, std::size_t size) {
  const auto& json = member(state, name);
  if (!json.is_array() || json.size() != size) {
    throw InputError(
        fmt::format("policy state: \"{}\" must be an array of {} entries", name, size));
  }
  return json;
}

std::vector<double> numbers_from_json(const ordered_json& state, const char* name,
                                      std::size_t size) {
  const auto& json = array_from_json(state, name, size);
  std::vector<double> numbers;
  numbers.reserve(size);
  for (const auto& entry : json) {
    const double value = entry.is_number() ? entry.get<double>() : NAN;
    if (!(value >= 0 && std::isfinite(value))) {
      throw InputError(fmt::format("policy state: \"{}\"[{}] is {}, not a number of at least 0",
                                   name, numbers.size(), entry.dump()));
    }
    numbers.push_back(value);
  }
  return numbers;
}

void counts_from_json(const ordered_json& state, std::span<Counts> counts) {
  const auto& json = member(state, "counts");
  const auto observed = numbers_from_json(json, "observed", counts.size());
  const auto attracted = numbers_from_json(json, "attracted", counts.size());
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
  const auto clicked = numbers_from_json(json, "clicked", counts.size());
  const auto terminated = numbers_from_json(json, "terminated", counts.size());
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
  const auto pages = numbers_from_json(state.at(name), "pages", doubts.size());
  const auto weight = numbers_from_json(state.at(name), "weight", doubts.size());
  const auto believed = numbers_from_json(state.at(name), "believed", doubts.size());
  check_parts("weight", weight, "pages", pages);
  check_parts("believed", believed, "pages", pages);
  for (std::size_t n = 0; n < doubts.size(); ++n) doubts[n] = {pages[n], weight[n], believed[n]};
}

std::uint64_t whole_from_json(const ordered_json& state, const char* name, std::uint64_t most) {
  const auto& value = member(state, name);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    throw InputError(fmt::format("policy state: \"{}\" is {}, not a whole number up to {}", name,
                                 value.dump(), most));
  }
  return value.get<std::uint64_t>();
}

std::uint64_t round_from_json(const ordered_json& state) {
  const auto& round = member(state, "round");
  if (!round.is_number_unsigned() || round.get<std::uint64_t>() == 0) {
    throw InputError(fmt::format("policy state: \"round\" is {}, not a whole number of at least 1",
                                 round.dump()));
  }
  return round.get<std::uint64_t>();
}

}  // namespace dcmrank
