#include "dcmrank/click_model/predicted.h"

#include <limits>
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

}  // namespace
}  // namespace dcmrank
