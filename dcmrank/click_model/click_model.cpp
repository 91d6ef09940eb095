#include "dcmrank/click_model/click_model.h"

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "dcmrank/base/blame.h"
#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/registration.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/typed.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/click_model/fitted_check.h"
#include "dcmrank/click_model/predicted.h"

namespace dcmrank {
namespace {

// The one list of the built-in models; those that were added follow.
std::vector<const ClickModel*>& known_models() {
  static std::vector<const ClickModel*> models{&kDcmModel, &kCascadeModel, &kDctrModel,
                                               &kPbmModel, &kSdbnModel,    &kUbmModel,
                                               &kDbnModel, &kCcmModel};
  return models;
}

[[noreturn]] void refuse(const ClickModel& model, std::string_view why) {
  refuse_registration(fmt::format("click model {}: {}", quote(model.name), why));
}

const Choices<Method> kMethods{{"count", Method::kCount}, {"em", Method::kEm}};

// Members of items, queries and files that are no parameters.
constexpr std::array kTaken{"item",  "attraction", "shown",   "clicked", "impressions", "query",
                            "items", "model",      "method",  "format",  "positions",   "prior",
                            "em",    "log",        "queries", "version", "interval"};

// Names of parameters are members of files, as they are.
bool can_be_a_member(const std::string& name) {
  return is_utf8(name) && std::none_of(name.begin(), name.end(), [](unsigned char c) {
           return c < ' ' || c == '"' || c == '\\';
         });
}

// Compact files have a bit for each probability of an item, in a number of 64 bits with another.
constexpr std::size_t kMostItemParameters = 62;

void check_names(const ClickModel& model) {
  std::vector<std::string> names(kTaken.begin(), kTaken.end());
  const auto take = [&](const std::string& name) {
    if (name.empty()) refuse(model, "a parameter has no name");
    if (!can_be_a_member(name)) {
      refuse(model, fmt::format("no file can hold a parameter of the name {}", quote(name)));
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      refuse(model, fmt::format("the parameter name {} is already taken", quote(name)));
    }
    names.push_back(name);
  };
  if (model.items.size() > kMostItemParameters) {
    refuse(model, fmt::format("items have more than {} parameters", kMostItemParameters));
  }
  for (const ItemParameter& name : model.items) {
    take(name);
    if (name == "unidentified") refuse(model, "no parameter of items can be \"unidentified\"");
  }
  for (const ListParameter& list : model.lists) {
    take(list.name);
    if (!list.unidentified.empty()) take(list.unidentified);
    if (list.shape == ListShape::kNumbers && list.numbers == 0) {
      refuse(model, fmt::format("the list {} has no entries", quote(list.name)));
    }
  }
}

}  // namespace

std::span<const ClickModel* const> click_models() { return known_models(); }

void add_click_model(const ClickModel& model) {
  static std::deque<ClickModel> added;  // never moved
  if (model.name.empty()) refuse(model, "it has no name");
  if (!is_utf8(model.name)) refuse(model, "its name is not UTF-8");
  for (const ClickModel* known : click_models()) {
    if (known->name == model.name) refuse(model, "there is already one of that name");
  }
  if (!can_be_typed(model.name)) {
    refuse(model, fmt::format("its name cannot be typed: {}", kWhatCanBeTyped));
  }
  if (model.full == nullptr || model.conditional == nullptr || model.fit == nullptr ||
      model.needs == nullptr || model.methods.empty()) {
    refuse(model, "it needs full, conditional, fit, needs and at least one method");
  }
  check_names(model);
  added.push_back(model);
  known_models().push_back(&added.back());
}

const ClickModel& click_model(std::string_view name, std::string_view what) {
  return *choose(what, name, click_models(), &ClickModel::name);
}

void check_method(const ClickModel& model, Method method) {
  const auto& methods = model.methods;
  if (std::find(methods.begin(), methods.end(), method) != methods.end()) return;
  if (methods.empty()) {
    throw InputError(
        fmt::format("the model {} has no estimator: it can only be given", model.name));
  }
  throw InputError(fmt::format("--method {}: the model {} is fitted by {}", name_of(method),
                               model.name, fmt::join(names_of(methods, name_of), " or ")));
}

std::vector<std::string> method_names() { return words_of(kMethods); }

Method method_named(const ClickModel& model, std::string_view name) {
  if (name.empty() && !model.methods.empty()) return model.methods.front();
  const Method method = choose("--method", name, kMethods);
  check_method(model, method);
  return method;
}

namespace {

FittedModel estimated(const ClickModel& model, const Sample& sample, const FitOptions& options) {
  try {
    return model.fit(sample, options);
  } catch (...) {
    rethrow_as_input_error(fmt::format("the estimator of the model {}", quote(model.name)));
  }
}

}  // namespace

FittedModel fit(const ClickModel& model, const Sample& sample, const FitOptions& options) {
  check_method(model, options.method);
  FittedModel fitted = estimated(model, sample, options);
  fitted.model = model.name;
  fitted.method = name_of(options.method);
  fitted.positions = sample.positions;
  fitted.prior = options.prior;
  check_estimates(model, fitted);
  return fitted;
}

double expected_clicks(const ClickModel& model, const PageParameters& page) {
  std::vector<double> p(page.attraction.size());
  predict_full(model, page, p);
  double sum = 0;
  for (const double click : p) sum += click;
  return sum;
}

Reward resolve(const ClickModel& model, Reward reward) {
  if (reward == Reward::kUsual) {
    const bool clicks = model.satisfaction == nullptr || model.rewards_clicks;
    return clicks ? Reward::kClicks : Reward::kSatisfaction;
  }
  if (reward == Reward::kSatisfaction && model.satisfaction == nullptr) {
    throw InputError(
        fmt::format("users of the model {} do not say when they are satisfied: their "
                    "reward is clicks",
                    model.name));
  }
  return reward;
}

double expected_reward(const ClickModel& model, const PageParameters& page, Reward reward) {
  return resolve(model, reward) == Reward::kSatisfaction ? predict_satisfaction(model, page)
                                                         : expected_clicks(model, page);
}

}  // namespace dcmrank
