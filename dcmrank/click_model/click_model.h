#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/click_model/parameter.h"
#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// The parameters of a model for one shown page. What training did not see is filled in, so that
/// every list has the entries that the page needs.
struct PageParameters {
  std::vector<double> attraction;          // by position
  std::vector<std::vector<double>> items;  // the model's item parameters; each by position
  std::vector<std::vector<double>> lists;  // the model's list parameters; each entries() long
  bool deeper = false;   // a list of its query ended above the last position, and was filled in
  bool unknown = false;  // training did not see its query
};

/// What counts as reward: the clicks of users, or whether they leave satisfied.
enum class Reward : std::uint8_t { kUsual, kClicks, kSatisfaction };

/// A click model: its parameters, two probability functions, an estimator, and optional parts.
/// Everything about a model is in the file that defines it; to add one of your own, see
/// add_click_model().
struct ClickModel {
  std::string name;
  std::string summary;

  /// Parameters besides the attraction of items.
  std::vector<ItemParameter> items = {};
  std::vector<ListParameter> lists = {};

  /// P(c_k = 1) without knowing any click. `p` may be shorter than the page. Both are called
  /// through predicted.h, which refuses what is no probability.
  void (*full)(const PageParameters& page, std::span<double> p) = nullptr;
  /// P(c_k = 1 | c_1, ..., c_{k-1}); `clicks` and `p` may be shorter than the page.
  void (*conditional)(const PageParameters& page, Clicks clicks, std::span<double> p) = nullptr;

  /// How it can be fitted; the first is the default.
  std::vector<Method> methods = {Method::kCount};
  /// Estimates the parameters from what `needs` asks of a log.
  FittedModel (*fit)(const Sample& sample, const FitOptions& options) = nullptr;
  Needs (*needs)(const FitOptions& options) = [](const FitOptions&) { return Needs{}; };

  /// Optional: the probability that a user of the page leaves satisfied, if the model has one.
  double (*satisfaction)(const PageParameters& page) = nullptr;
  /// The usual reward is satisfaction where the model has it, unless this says clicks.
  bool rewards_clicks = false;
  /// Whether the best list has the most attractive items, the n-th at the place that
  /// `ranks_positions` says.
  bool best_by_attraction = false;
  /// Whether, by Method::kCount, `shown` and `clicked` of an item are trials and successes of its
  /// attraction if the model is true: then they give an interval of the attraction.
  bool counts_are_trials = false;
  /// Whether, by Method::kCount and without shared lists, every query is fitted from its own counts
  /// alone: then a model that is too large for the memory is fitted in pieces.
  bool fits_each_query = false;
};

extern const ClickModel kDcmModel;
extern const ClickModel kCascadeModel;
extern const ClickModel kDctrModel;
extern const ClickModel kPbmModel;
extern const ClickModel kSdbnModel;
extern const ClickModel kUbmModel;
extern const ClickModel kDbnModel;
extern const ClickModel kCcmModel;

/// All models: the built-in ones, then those that were added, in that order.
std::span<const ClickModel* const> click_models();

/// Makes a copy of the model known to everything that names models: fit, evaluate, generate,
/// inspect, their --help, model files. Throws InputError if its name is taken or its
/// definition is incomplete. Call it before any use of models, from one thread.
void add_click_model(const ClickModel& model);

/// Throws InputError that lists the known names; `what` names the option or file at fault.
const ClickModel& click_model(std::string_view name, std::string_view what);

/// Throws InputError unless the model can be fitted by the method.
void check_method(const ClickModel& model, Method method);

/// All that a model may be fitted by, as commands say them.
std::vector<std::string> method_names();

/// "count" or "em"; the model's default where it is empty. Throws InputError likewise.
Method method_named(const ClickModel& model, std::string_view name);

/// Fits the model: its fit(), with name, method, prior and positions filled in. Throws InputError
/// where the model cannot be fitted by the method.
FittedModel fit(const ClickModel& model, const Sample& sample, const FitOptions& options);

/// The sum of P(c_k = 1).
double expected_clicks(const ClickModel& model, const PageParameters& page);

/// Which of the two a reward is. Throws InputError if the model has no satisfaction.
Reward resolve(const ClickModel& model, Reward reward);

/// What simulations reward a page with.
double expected_reward(const ClickModel& model, const PageParameters& page,
                       Reward reward = Reward::kUsual);

}  // namespace dcmrank
