#include "dcmrank/policy/robust_policy.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "dcmrank/base/json_fields.h"
#include "dcmrank/model/prior.h"
#include "dcmrank/policy/state.h"

namespace dcmrank {
namespace {

// Nats that the DCM may fall behind until it is refuted, and must lead by to be believed again.
constexpr double kPatience = 6;
// The DCM's lead counts for so much and no more (nats), so that one that went wrong late is doubted
// soon: it learns from guesses of its own, and may lead by hundreds from before. A wrong model
// gains so much on a right one in one of e^26 cases.
constexpr double kMemory = 20;
// With such a lead over the DCM (nats) users are surely none of the DCM's, and the browsing model
// says where a look is cheap. Of DCM users it would not know that a click counts for more where it
// ends more visits; the DCM may be behind with them, too, but by little on every page.
double sure_lead(std::uint64_t pages) { return 20 + .005 * static_cast<double>(pages); }

// Of so many pages one is the browsing model's while the DCM is believed: two models may foretell
// the clicks on one list equally well, and disagree on others that nobody sees. Later one in more:
// that many pages that tell them apart have come grows like the root of all pages.
std::uint64_t pages_per_doubt(std::uint64_t pages) {
  constexpr double kFirst = 16;
  constexpr double kUntil = 4096;  // pages
  return static_cast<std::uint64_t>(kFirst *
                                    std::max(1.0, std::sqrt(static_cast<double>(pages) / kUntil)));
}

DcmOptions dcm_of(const PositionOrder& order) {
  DcmOptions options{.counting = Counting::kRevisedEm, .placement = Placement::kCheaper};
  options.positions.order = order;
  return options;
}

}  // namespace

RobustPolicy::RobustPolicy(const Shape& shape, const PositionOrder& order)
    : dcm_(shape, ThompsonIndex(), dcm_of(order)), browsing_(shape, order) {
  browsing_.begin();
  for (const double continuation : kContinuations) {
    witnesses_.emplace_back(shape.items, shape.positions, continuation);
  }
}

void RobustPolicy::rank(Rng& rng, Ranking& ranking) {
  if (believes_dcm_) {
    const bool doubts = rng.below(pages_per_doubt(browsing_.pages())) == 0;
    doubts ? browsing_.rank_unasked(rng, ranking) : dcm_.rank(rng, ranking);
  } else if (leads_[0] > sure_lead(browsing_.pages())) {
    browsing_.rank_compared(rng, ranking);
  } else {
    browsing_.rank(rng, ranking);
  }
}

double RobustPolicy::foretell_by_dcm(std::span<const Item> list, Clicks clicks) const {
  constexpr double kMost = .9999;
  const DcmKnowledge& known = dcm_.knowledge();
  return foretell_chain(
      list, clicks, 1,
      [&](Item e) {
        const Counts counts = believed(known.counts[e], known.item_doubts[e]);
        return std::min(foretold_attraction(counts, browsing_.average()), kMost);
      },
      [&](std::size_t k) {
        return posterior_mean(believed(known.terminations[k], known.position_doubts[k]));
      });
}

void RobustPolicy::update(const Ranking& shown, Clicks clicks) {
  const double average = browsing_.average();  // one prior for all: priors must not decide
  const double dcm = foretell_by_dcm(shown.items, clicks);
  leads_[0] += browsing_.foretell(shown.items, clicks) - dcm;
  for (std::size_t m = 0; m < witnesses_.size(); ++m) {
    leads_[m + 1] += witnesses_[m].foretell(shown.items, clicks, average) - dcm;
    witnesses_[m].learn(shown.items, clicks, average);
  }
  for (double& lead : leads_) lead = std::max(lead, -kMemory);
  const double others = *std::max_element(leads_.begin(), leads_.end());
  if (others > kPatience) {
    believes_dcm_ = false;
    refuted_ = true;
  } else if (others < (refuted_ ? -kPatience : 0)) {
    believes_dcm_ = true;
    refuted_ = false;
  }
  browsing_.update(shown, clicks);
  dcm_.update(shown, clicks);
}

nlohmann::ordered_json RobustPolicy::save() const {
  auto witnesses = nlohmann::ordered_json::array();
  for (const ChainWitness& witness : witnesses_) witnesses.push_back(witness.save());
  return {{"believes_dcm", believes_dcm_},
          {"refuted", refuted_},
          {"leads", leads_},
          {"dcm", dcm_.save()},
          {"browsing", browsing_.save()},
          {"witnesses", std::move(witnesses)}};
}

void RobustPolicy::load(const nlohmann::ordered_json& state) {
  believes_dcm_ = fields::boolean(state, "believes_dcm");
  refuted_ = state.contains("refuted") && fields::boolean(state, "refuted");
  const auto leads = fields::numbers(state, "leads", fields::kAny, leads_.size());
  std::copy(leads.begin(), leads.end(), leads_.begin());
  dcm_.load(fields::object(state, "dcm"));
  browsing_.load(fields::object(state, "browsing"));
  const auto& witnesses = fields::array(state, "witnesses", witnesses_.size());
  for (std::size_t m = 0; m < witnesses_.size(); ++m) witnesses_[m].load(witnesses[m]);
}

}  // namespace dcmrank
