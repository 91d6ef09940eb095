// Thompson sampling for the position-based model with known examination (PBM-TS of P. Lagrée,
// C. Vernade and O. Cappé: Multiple-play bandits in the position-based model. NIPS 2016). Named
// pbm-ts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/model/counts.h"
#include "dcmrank/placement/placement.h"
#include "dcmrank/policy/policy.h"
#include "dcmrank/random/beta.h"
#include "dcmrank/select/scored.h"

namespace dcmrank {

/// The posterior of an attraction w with a uniform prior, where position k, examined with
/// probability x_k, showed the item `observed` times with `attracted` clicks: its density is
/// proportional to the product over k of w^clicks (1 - x_k w)^skips. The logarithm is concave, so
/// draws are exact by rejection: below the density's top, and below tangents on both of its sides.
class AttractionPosterior {
 public:
  /// Both have an entry per position.
  void fit(std::span<const Counts> counts, std::span<const double> examination);

  /// Given what it was fitted to.
  double draw(std::span<const Counts> counts, std::span<const double> examination,
              CounterRng& rng) const;

 private:
  // An exponential that falls from the value 1 at `from`, over `length`.
  struct Side {
    double from = 0;
    double slope = 0;  // of the logarithm, away from the top; 0: there is no such side
    double length = 0;
    double mass = 0;
  };
  static Side make_side(double point, double below_top, double slope, double top, double end);
  static double draw_side(const Side& side, double u, double direction, double& log_bound);

  double top_ = 0;  // where the density is highest
  double highest_ = 0;
  Side left_;
  Side right_;
};

class PbmPolicy {
 public:
  /// `examination` is that of each position, in [0, 1]; the best items go where it is highest.
  PbmPolicy(const Shape& shape, std::vector<double> examination);

  /// O(L K).
  void rank(Rng& rng, Ranking& ranking);
  void update(const Ranking& shown, Clicks clicks);

  nlohmann::ordered_json save() const;
  void load(const nlohmann::ordered_json& state);

 private:
  std::span<Counts> row(Item e) {
    return std::span(counts_).subspan(e * examination_.size(), examination_.size());
  }

  std::vector<double> examination_;
  PositionOrder order_;
  std::vector<Counts> counts_;  // by item and position
  std::vector<AttractionPosterior> posteriors_;
  std::vector<Scored> scored_;  // scratch of rank
};

}  // namespace dcmrank
