#include "dcmrank/registry/position_options.h"

#include <algorithm>

#include "dcmrank/registry/option_values.h"

namespace dcmrank {
namespace {

[[noreturn]] void refuse_problem(const PolicySpec& spec, const char* option, const char* users) {
  throw InputError(fmt::format("policy {}: {}=problem works only in a simulation of {}",
                               quote(spec.text), option, users));
}

// order=3,1,2: the positions, counted from 1, from the most to the least terminating.
PositionOrder parse_order(const PolicySpec& spec, const std::string& text, std::size_t positions) {
  PositionOrder order;
  for (const std::string_view part : split(text, ',')) {
    const auto position = parse_unsigned(part);
    if (!position || *position == 0 || *position > positions) {
      throw InputError(fmt::format("policy {}: order has {}, not a position from 1 to {}",
                                   quote(spec.text), quote(part), positions));
    }
    order.push_back(static_cast<std::size_t>(*position) - 1);
  }
  PositionOrder sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != top_down(positions)) {
    throw InputError(fmt::format("policy {}: order must name each of the {} positions once",
                                 quote(spec.text), positions));
  }
  return order;
}

// A probability per position, from the top.
std::vector<double> parse_probabilities(const PolicySpec& spec, const char* option,
                                        const std::string& text, std::size_t positions) {
  std::vector<double> values;
  for (const std::string_view part : split(text, ',')) {
    values.push_back(probability(spec, option, part));
  }
  if (values.size() != positions) {
    throw InputError(fmt::format("policy {}: {} has {} numbers for {} positions", quote(spec.text),
                                 option, values.size(), positions));
  }
  return values;
}

std::vector<double> parse_terminations(const PolicySpec& spec, const PolicyCase& policy_case) {
  const std::string* text = find_option(spec, "terminations");
  if (text == nullptr) return {};
  if (*text == "problem") {
    if (policy_case.problem == nullptr) refuse_problem(spec, "terminations", "DCM users");
    return policy_case.problem->termination;
  }
  return parse_probabilities(spec, "terminations", *text, policy_case.shape.positions);
}

// The default is top-down, the paper's; known terminations imply their order.
std::optional<PositionOrder> order_option(const PolicySpec& spec, const PolicyCase& policy_case) {
  const std::size_t positions = policy_case.shape.positions;
  const std::string* text = find_option(spec, "order");
  if (text == nullptr) {
    if (find_option(spec, "terminations") != nullptr) return std::nullopt;
    return top_down(positions);
  }
  if (*text == "learned") return std::nullopt;
  if (*text == "problem" && !policy_case.order.empty()) {
    return PositionOrder(policy_case.order.begin(), policy_case.order.end());
  }
  if (*text == "problem") {
    if (policy_case.problem == nullptr) refuse_problem(spec, "order", "users who tell it");
    return decreasing_order(policy_case.problem->termination);
  }
  return parse_order(spec, *text, positions);
}

}  // namespace

std::vector<PolicyOption> position_options() {
  return {{"order",
           "positions from the most to the least terminating, e.g. order=3,1,2 (default: from the "
           "top); learned: learned from the clicks; problem: that of the simulated problem",
           {"learned"}},
          {"terminations",
           "known termination probabilities, from the top, e.g. terminations=0.5,0.1 (default: "
           "learned from the clicks); problem: those of the simulated problem",
           {}},
          {"last-termination",
           "termination probability of the last position, which clicks cannot teach (default: "
           "a guess, below the least learned or where the order places it)",
           {"0.3"}}};
}

PolicyOption told_order_option() {
  return {
      "order",
      "positions from the best to the worst, e.g. order=3,1,2 (default: from the top); problem: "
      "that of the simulated problem",
      {}};
}

PositionOrder told_order(const PolicySpec& spec, const PolicyCase& policy_case) {
  const auto order = order_option(spec, policy_case);
  if (!order) {
    throw InputError(
        fmt::format("policy {}: this policy does not learn the order", quote(spec.text)));
  }
  return *order;
}

PolicyOption told_examination_option() {
  return {"examination",
          "how likely each position is examined, from the top, e.g. examination=1,0.5,0.3 "
          "(default: 1, 1/2, 1/3, …, a guess); problem: that of the simulated problem's best list",
          {}};
}

std::vector<double> told_examination(const PolicySpec& spec, const PolicyCase& policy_case) {
  const std::size_t positions = policy_case.shape.positions;
  const std::string* text = find_option(spec, "examination");
  std::vector<double> values;
  if (text == nullptr) {
    for (std::size_t k = 0; k < positions; ++k) values.push_back(1 / static_cast<double>(k + 1));
    return values;
  }
  if (*text != "problem") return parse_probabilities(spec, "examination", *text, positions);
  if (policy_case.examination.empty()) refuse_problem(spec, "examination", "users who tell it");
  return {policy_case.examination.begin(), policy_case.examination.end()};
}

PositionKnowledge position_knowledge(const PolicySpec& spec, const PolicyCase& policy_case) {
  PositionKnowledge knowledge;
  knowledge.order = order_option(spec, policy_case);
  knowledge.terminations = parse_terminations(spec, policy_case);
  if (const std::string* last = find_option(spec, "last-termination")) {
    if (!knowledge.terminations.empty()) {
      throw InputError(fmt::format("policy {}: last-termination is already given by terminations",
                                   quote(spec.text)));
    }
    knowledge.last = probability(spec, "last-termination", *last);
  }
  return knowledge;
}

}  // namespace dcmrank
