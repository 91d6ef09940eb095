// The family of dcmKL-UCB (dcm_policy.h) over items that come and go (open_policy.h).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dcmrank/index/index.h"
#include "dcmrank/placement/explorers.h"
#include "dcmrank/placement/placement.h"
#include "dcmrank/policy/dcm_knowledge.h"
#include "dcmrank/policy/dcm_rows.h"
#include "dcmrank/policy/open_policy.h"
#include "dcmrank/select/all_scores.h"
#include "dcmrank/select/best_items.h"
#include "dcmrank/select/selection.h"

namespace dcmrank {

/// There is no initialisation here: an item never observed has index 1.
template <Index I>
class OpenDcm {
 public:
  OpenDcm(std::size_t positions, I index, DcmOptions options)
      : options_(std::move(options)), index_(std::move(index)), known_(0, positions) {
    believe(options_.positions, known_.terminations, belief_);
  }

  static RowFamily family() { return DcmRows::kFamily; }

  void open(std::size_t items) {
    known_.round = 1;
    known_.counts.assign(items, {});
    known_.item_doubts.assign(items, {});
    known_.terminations.assign(known_.terminations.size(), {});
    known_.position_doubts.assign(known_.position_doubts.size(), {});
  }

  static constexpr std::size_t item_row() { return DcmRows::kSize; }
  static constexpr std::size_t position_row() { return DcmRows::kSize; }
  void put_round(std::uint64_t t) { known_.round = t; }

  void put_item(Item e, std::span<const double> row) {
    known_.counts[e] = DcmRows::counts_in(row);
    known_.item_doubts[e] = DcmRows::doubt_in(row);
  }

  void put_position(std::size_t k, std::span<const double> row) {
    known_.terminations[k] = DcmRows::terminations_in(row);
    known_.position_doubts[k] = DcmRows::doubt_in(row);
  }

  void add_prior(Item e, const Counts& prior) { known_.counts[e].merge(prior); }

  void rank(Rng& rng, Ranking& ranking) {
    index_.begin_round(known_.round, subkey(rng(), kIndexKey));
    if (options_.uses_terminations()) believe(options_.positions, known_.terminations, belief_);
    const std::span<Scored> scored = scores_(index_, known_.counts);
    for (Scored& s : scored) {
      if (known_.counts[s.item].observed <= 0) s.score = 1;
      if constexpr (std::same_as<BestItems<I>, PlainSelection>) checked_score(s.item, s.score);
    }
    ranking.initial = false;
    if (options_.placement == Placement::kPaper) {
      place(scored, belief_.order, TieBreak::in_order(), ranking.items);
    } else {
      place_explorers(scored, known_.counts, belief_, TieBreak::in_order(), room_, ranking.items);
    }
  }

  void update(const Ranking& shown, Clicks clicks) {
    known_.learn(options_, SeenPage(shown.items, clicks));
    ++known_.round;
  }

  static void impose(Ranking& /*ranking*/) {}

  void get_item(Item e, std::span<double> row) const {
    const Counts& counts = known_.counts[e];
    DcmRows::write(counts.observed, counts.attracted, known_.item_doubts[e], row);
  }

  void get_position(std::size_t k, std::span<double> row) const {
    const TerminationCounts& counts = known_.terminations[k];
    DcmRows::write(counts.clicked, counts.terminated, known_.position_doubts[k], row);
  }

  double score(Item e, std::size_t /*position*/) const {
    return known_.counts[e].observed <= 0 ? 1 : index_(e, known_.counts[e]);
  }

 private:
  DcmOptions options_;
  I index_;
  DcmKnowledge known_;
  // Scratch of rank.
  AllScores<I> scores_;
  PositionBelief belief_;
  ExplorerRoom room_;
};

}  // namespace dcmrank
