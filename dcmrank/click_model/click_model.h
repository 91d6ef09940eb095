#pragma once

#include <span>
#include <string>
#include <vector>

#include "dcmrank/click_model/fitted.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// The parameters of a model for one shown list, by position.
struct PageParameters {
  std::vector<double> attraction;
  std::vector<double> satisfaction;  // of the item, once clicked: SDBN
  std::vector<double> position;      // termination (DCM) or examination (PBM)
};

/// A click model: two probability functions, which are all that scores and generated logs know of
/// it, and an estimator. One file a model; to add one, a file and a line in click_model.cpp.
struct ClickModel {
  const char* name;
  const char* summary;
  /// P(c_k = 1), not knowing any click.
  void (*full)(const PageParameters& page, std::span<double> p);
  /// P(c_k = 1 | c_1, ..., c_{k-1}).
  void (*conditional)(const PageParameters& page, Clicks clicks, std::span<double> p);
  /// Estimates the parameters. What it needs of a log says `needs`.
  FittedModel (*fit)(const Sample& sample, const FitOptions& options);
  Needs (*needs)(const FitOptions& options);
};

extern const ClickModel kDcmModel;
extern const ClickModel kCascadeModel;
extern const ClickModel kDctrModel;
extern const ClickModel kPbmModel;
extern const ClickModel kSdbnModel;

std::span<const ClickModel* const> click_models();

/// Throws InputError, with the names that there are; `what` names the option or file at fault.
const ClickModel& click_model(const std::string& name, const std::string& what);

/// Fits the model: its fit(), with name, method, prior and positions filled in.
FittedModel fit(const ClickModel& model, const Sample& sample, const FitOptions& options);

/// What estimators share: the queries and items of a sample, with an estimate of the attraction
/// from the counts that `counts_of` picks.
FittedModel fit_attraction(const Sample& sample, const Prior& prior,
                           Counts (*counts_of)(const ItemCounts&));

/// The walk down a list that several models are instances of: a user examines the first position;
/// `leaves[k]` is the probability to examine no further after a click at k, and without a click the
/// next position is always examined. p becomes P(c_k = 1).
void full_walk(std::span<const double> attraction, std::span<const double> leaves,
               std::span<double> p);

/// The same given the clicks above each position.
void conditional_walk(std::span<const double> attraction, std::span<const double> leaves,
                      Clicks clicks, std::span<double> p);

}  // namespace dcmrank
