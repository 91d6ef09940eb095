#include "dcmrank/registry/dcm_entries.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "dcmrank/registry/built_in.h"
#include "dcmrank/registry/option_values.h"
#include "dcmrank/registry/position_options.h"

namespace dcmrank {
namespace {

const Choices<Initialisation> kInits{{"free", Initialisation::kFree},
                                     {"first-position", Initialisation::kFirstPosition}};
const Choices<Counting> kCountings{{"prefix", Counting::kPrefix},
                                   {"first-click", Counting::kFirstClick},
                                   {"last-click", Counting::kLastClick},
                                   {"em", Counting::kEm},
                                   {"revised-em", Counting::kRevisedEm}};
const Choices<Placement> kPlacements{{"paper", Placement::kPaper},
                                     {"cheapest", Placement::kCheapest},
                                     {"cheaper", Placement::kCheaper}};
const Choices<Budget> kBudgets{{"paper", Budget::kPaper}, {"log", Budget::kLog}};

// An option that is one of a few words; its help ends with the default.
template <class T>
PolicyOption words(std::string name, const std::string& help, const Choices<T>& choices,
                   T otherwise) {
  const auto names = names_of(choices, [](const auto& entry) { return entry.first; });
  const auto is_default = [&](const auto& entry) { return entry.second == otherwise; };
  const auto& chosen = std::find_if(choices.begin(), choices.end(), is_default)->first;
  return {std::move(name), fmt::format("{} (default {})", help, chosen), names};
}

std::vector<PolicyOption> options_of(const DcmOptions& defaults) {
  std::vector<PolicyOption> options{
      words("init",
            "where the first sample of every item comes from. free: given before step 1 (Algorithm "
            "1); first-position: steps t = 1 to L show item t at position 1 (Sec. 3.3)",
            kInits, defaults.init),
      words("placement",
            "which item goes where. paper: the n-th best item at the n-th most terminating "
            "position; cheapest: the same, but explorers go where observing them costs least; "
            "cheaper: an explorer, or the leader that it displaces if that one is less known, only "
            "where observing it costs less than half of what is in doubt between them",
            kPlacements, defaults.placement)};
  for (PolicyOption& option : position_options()) options.push_back(std::move(option));
  return options;
}

PolicyOption counting_option(const DcmOptions& defaults) {
  return words(
      "counting",
      "what clicks teach. prefix: everything up to the last click was observed (Sec. 3.2, "
      "biased); first-click, last-click: only that click is kept (Sec. 5.2); em: repaired, "
      "items below the last click count by the probability that they were examined; "
      "revised-em: the same, and earlier pages are revised as the belief improves",
      kCountings, defaults.counting);
}

// The three of the paper, which differ in the counting; only the first has it as an option.
PolicyEntry paper_entry(std::string name, std::string summary, Counting counting) {
  const DcmOptions defaults{.counting = counting};
  auto options = options_of(defaults);
  if (counting == Counting::kPrefix) options.push_back(counting_option(defaults));
  options.push_back(words("budget", "paper: log t + 3 log log t (Eq. (1)); log: log t", kBudgets,
                          Budget::kPaper));
  const auto make = [defaults](const PolicySpec& spec, const PolicyCase& c) -> AnyPolicy {
    const KlUcbIndex index(choice(spec, "budget", kBudgets, Budget::kPaper));
    return DcmKlUcb(c.shape, index, read_dcm_options(spec, c, defaults));
  };
  return {std::move(name), std::move(summary), std::move(options), make};
}

}  // namespace

std::vector<PolicyOption> dcm_options(const DcmOptions& defaults) {
  auto options = options_of(defaults);
  options.push_back(counting_option(defaults));
  return options;
}

DcmOptions read_dcm_options(const PolicySpec& spec, const PolicyCase& policy_case,
                            const DcmOptions& defaults) {
  return {.counting = choice(spec, "counting", kCountings, defaults.counting),
          .placement = choice(spec, "placement", kPlacements, defaults.placement),
          .init = choice(spec, "init", kInits, defaults.init),
          .positions = position_knowledge(spec, policy_case)};
}

std::vector<PolicyEntry> dcm_entries() {
  const DcmOptions repaired{.counting = Counting::kEm};
  const DcmOptions best{.counting = Counting::kRevisedEm, .placement = Placement::kCheapest};
  return {
      paper_entry(
          "dcm-kl-ucb",
          "dcmKL-UCB, Algorithm 1 as published: learns from everything up to the last click",
          Counting::kPrefix),
      paper_entry("first-click", "dcmKL-UCB that keeps only the first click (Sec. 5.2)",
                  Counting::kFirstClick),
      paper_entry("last-click", "dcmKL-UCB that keeps only the last click (Sec. 5.2)",
                  Counting::kLastClick),
      index_policy<KlUcbPlusIndex>(
          "dcm-kl-ucb-plus", "KL-UCB+ (budget log(t/T)) with the repaired counting", repaired),
      index_policy<ThompsonIndex>("dcm-ts", "Thompson sampling with the repaired counting",
                                  repaired),
      index_policy<OptimisticThompsonIndex>(
          "dcm-ots",
          "optimistic Thompson sampling, revised counting, explorers where they cost least", best)};
}

}  // namespace dcmrank
