// For users of whom nothing is known: several models of users see every page, each predicts it
// before it learns from it, and the one that has predicted best is believed. Named robust-ts.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/index/thompson_index.h"
#include "dcmrank/policy/browsing_policy.h"
#include "dcmrank/policy/chain_witness.h"
#include "dcmrank/policy/dcm_policy.h"

namespace dcmrank {

/// Two models choose lists: a user browsing model, which fits users of many kinds, and the DCM,
/// which learns faster from users who follow it, above all where items attract nearly everybody,
/// and goes badly wrong with others. Witnesses, nearly DCMs, only foretell: they expose users who
/// differ from the DCM by less than the browsing model can see. The DCM is believed when it is
/// ahead of all others, until it is 6 nats behind one of them, and then again with a lead of 6; a
/// lead above 20 is taken as 20. Now and then a page is the browsing model's all the same, so that
/// lists are seen on which they differ. While the DCM leads, an explorer stands where its
/// observation costs less than half (explorers.h).
class RobustPolicy {
 public:
  RobustPolicy(const Shape& shape, const PositionOrder& order);

  void rank(Rng& rng, Ranking& ranking);
  void update(const Ranking& shown, Clicks clicks);

  nlohmann::ordered_json save() const;
  void load(const nlohmann::ordered_json& state);

  bool believes_dcm() const { return believes_dcm_; }

 private:
  static constexpr std::array kContinuations{.985, .97, .90};

  double foretell_by_dcm(std::span<const Item> list, Clicks clicks) const;

  DcmPolicy<ThompsonIndex> dcm_;
  BrowsingPolicy browsing_;
  std::vector<ChainWitness> witnesses_;
  // log P(all pages) of the browsing model, then of the witnesses, less that of the DCM, but
  // never less than -20.
  std::array<double, 1 + kContinuations.size()> leads_{};
  bool believes_dcm_ = false;
  bool refuted_ = false;  // fell more than 6 nats behind, and has not led by as much since
};

}  // namespace dcmrank
