#include "dcmrank/ledger/model.h"

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/registry/registry.h"

namespace dcmrank::service {
namespace {

int made = 0;

Model model_of(const std::string& policy, std::size_t k) {
  Model model;
  set_policy(model, policy);
  model.k = k;
  return model;
}

// All models are read again whenever one of them changes, and a policy may be dear to make.
TEST(CheckModel, MakesAPolicyOnceForAllTimesThatItIsRead) {
  add_policy(
      {"dear", "counts how often it is made", {}, [](const PolicySpec&, const PolicyCase& c) {
         ++made;
         return make_policy(parse_policy_spec("dcm-ts"), c);
       }});
  for (int n = 0; n < 10; ++n) {
    Model model = model_of("dear", 3);
    check_model(model);
    EXPECT_EQ(model.family, DcmRows::kFamily);
  }
  EXPECT_EQ(made, 1);
  Model longer = model_of("dear", 4);
  check_model(longer);
  EXPECT_EQ(made, 2);
}

TEST(CheckModel, RefusesAPolicyAsOftenAsItIsAsked) {
  for (int n = 0; n < 2; ++n) {
    Model model = model_of("ubm-ts:order=2,1", 3);
    EXPECT_THROW(check_model(model), InputError);
  }
}

}  // namespace
}  // namespace dcmrank::service
