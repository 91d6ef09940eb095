#include "dcmrank/policy/dcm_knowledge.h"

#include <nlohmann/json.hpp>

#include "dcmrank/base/json_fields.h"
#include "dcmrank/policy/state.h"

namespace dcmrank {

nlohmann::ordered_json save(const DcmKnowledge& knowledge, const Settled& settled) {
  nlohmann::ordered_json state{{"round", knowledge.round},
                               {"counts", counts_to_json(knowledge.counts)},
                               {"terminations", terminations_to_json(knowledge.terminations)},
                               {"item_doubts", doubts_to_json(knowledge.item_doubts)},
                               {"position_doubts", doubts_to_json(knowledge.position_doubts)}};
  if (settled) state["threshold"] = *settled;
  return state;
}

Settled load(const nlohmann::ordered_json& state, DcmKnowledge& knowledge) {
  knowledge.round = round_from_json(state);
  counts_from_json(state, knowledge.counts);
  terminations_from_json(state, knowledge.terminations);
  doubts_from_json(state, "item_doubts", knowledge.item_doubts);
  doubts_from_json(state, "position_doubts", knowledge.position_doubts);
  if (!state.contains("threshold")) return std::nullopt;
  const auto numbers = fields::numbers(state, "threshold", fields::kAtLeastZero, 3);
  return std::array{numbers[0], numbers[1], numbers[2]};
}

}  // namespace dcmrank
