// What of the tests runs over another store than SQLite: all that stand in this folder, but for
// those of a fleet, which have a PostgreSQL of their own, and those of what happens before a store
// is asked for anything. What is about one store alone says so by its fixture (service_test.h), and
// is left out by that.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "service_test.h"

namespace dcmrank::testing {
namespace {

bool is_of_a_store(const ::testing::TestInfo& test) {
  const std::string_view file = test.file();
  if (file.find("tests/service/") == std::string_view::npos) return false;
  for (const std::string_view other :
       {"fleet_", "http_test", "bad_input_test", "tls_test", "rate_test", "key_reload_test",
        "config_test", "config_refused_test"}) {
    if (file.find("/" + std::string(other)) != std::string_view::npos) return false;
  }
  return true;
}

std::string tests_of_the_service() {
  std::string filter;
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int n = 0; n < suite.total_test_count(); ++n) {
      const ::testing::TestInfo& test = *suite.GetTestInfo(n);
      if (!is_of_a_store(test)) continue;
      filter += std::string(filter.empty() ? "" : ":") + suite.name() + "." + test.name();
    }
  }
  return filter;
}

}  // namespace
}  // namespace dcmrank::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (dcmrank::testing::over_postgres() && GTEST_FLAG_GET(filter) == "*") {
    GTEST_FLAG_SET(filter, dcmrank::testing::tests_of_the_service());
  }
  return RUN_ALL_TESTS();
}
