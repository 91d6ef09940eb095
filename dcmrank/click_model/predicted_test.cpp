#include "dcmrank/click_model/predicted.h"

#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

double given = 0;  // NOLINT(*-avoid-non-const-global-variables): models are functions

ClickModel giving(double p) {
  given = p;
  ClickModel model;
  model.name = "mine";
  model.full = [](const PageParameters& /*page*/, std::span<double> out) {
    for (double& x : out) x = 0.5;
    out.back() = given;
  };
  model.conditional = [](const PageParameters& page, Clicks /*clicks*/, std::span<double> out) {
    giving(given).full(page, out);
  };
  return model;
}

std::string prediction_refusal(double p) {
  const ClickModel model = giving(p);
  std::vector<double> out(2);
  const std::vector<std::uint8_t> clicks(2);
  std::string all;
  const auto note = [&](auto predict) {
    try {
      predict();
    } catch (const InputError& error) {
      all += std::string(error.what()) + "|";
    }
  };
  note([&] { predict_full(model, {}, out); });
  note([&] { predict_conditional(model, {}, clicks, out); });
  note([&] { predict_next(model, {}, clicks, out); });
  return all;
}

TEST(Predictions, AreProbabilitiesOrRefusedByTheNameOfTheModel) {
  EXPECT_EQ(prediction_refusal(0), "");
  EXPECT_EQ(prediction_refusal(1 + 1e-15), "");
  EXPECT_EQ(prediction_refusal(2),
            "click model 'mine': full gives 2 at position 2, not a probability|"
            "click model 'mine': conditional gives 2 at position 2, not a probability|"
            "click model 'mine': conditional gives 2 at position 2, not a probability|");
  EXPECT_NE(prediction_refusal(-0.5), "");
  EXPECT_NE(prediction_refusal(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(Predictions, ThatThrowAreToldWithTheNameOfTheModelAndTheFunction) {
  const auto told_of = [](auto fault, auto ask) -> std::string {
    ClickModel model;
    model.name = "mine";
    model.full = fault;
    model.conditional = [](const PageParameters& /*page*/, Clicks, std::span<double>) {
      throw InputError("too few clicks");
    };
    model.satisfaction = [](const PageParameters& /*page*/) -> double { throw 7; };
    model.fit = [](const Sample&, const FitOptions&) -> FittedModel {
      throw std::out_of_range("estimator trouble");
    };
    try {
      ask(model);
    } catch (const InputError& error) {
      return error.what();
    } catch (const std::bad_alloc&) {
      return "no memory";
    }
    return "";
  };
  const auto trouble = [](const PageParameters& /*page*/, std::span<double>) {
    throw std::runtime_error("model trouble");
  };
  const auto no_memory = [](const PageParameters& /*page*/, std::span<double>) {
    throw std::bad_alloc();
  };
  std::vector<double> out(1);
  const auto full = [&](const ClickModel& model) { predict_full(model, {}, out); };
  EXPECT_EQ(told_of(trouble, full), "click model 'mine': full: model trouble");
  EXPECT_EQ(told_of(no_memory, full), "no memory");
  const auto conditional = "click model 'mine': conditional: too few clicks";
  EXPECT_EQ(told_of(trouble, [&](const auto& m) { predict_conditional(m, {}, {}, out); }),
            conditional);
  EXPECT_EQ(told_of(trouble, [&](const auto& m) { predict_next(m, {}, {}, out); }), conditional);
  EXPECT_EQ(told_of(trouble, [](const auto& m) { expected_reward(m, {}); }),
            "click model 'mine': satisfaction: it threw something that is no std::exception");
  EXPECT_EQ(told_of(trouble, [](const auto& m) { fit(m, {}, {}); }),
            "the estimator of the model 'mine': estimator trouble");
}

}  // namespace
}  // namespace dcmrank
