#pragma once

#include <cstdint>
#include <vector>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/interner.h"
#include "dcmrank/log/impression.h"

namespace dcmrank {

/// Finds the parameters of a fitted model for shown lists. What training did not see (a query, an
/// item, a position) takes the mean of the prior; a query that was not seen takes the lists that
/// all share, if any. Refers to the model; immutable, so threads may share it.
class ModelParameters {
 public:
  explicit ModelParameters(const FittedModel& model);

  const ClickModel& click_model() const { return *click_model_; }
  void find(const Impression& impression, PageParameters& page) const;

 private:
  void find_lists(std::uint32_t query, std::size_t positions, PageParameters& page) const;

  const FittedModel* model_;
  const ClickModel* click_model_;
  Interner queries_;
  Interner item_ids_;
  std::vector<const FittedItem*> items_;
  /// The lists of each query in turn, in the order of the click model; last, those that all share.
  std::vector<const std::vector<double>*> lists_;
};

}  // namespace dcmrank
