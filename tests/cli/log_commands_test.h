#pragma once

#include <string>

#include "command_test.h"

namespace dcmrank::testing {

inline const std::string kLog =
    "1\t0\tQ\tq\t0\ta\tb\tc\n1\t1\tC\tb\n2\t0\tQ\tq\t0\tb\ta\tc\n2\t1\tC\tb\n2\t2\tC\tc\n"
    "3\t0\tQ\tr\t0\tx\ty\n4\t0\tQ\tr\t0\ty\tx\n4\t1\tC\ty\n";

/// Commands that read logs and models, beside a small log of yandex2011, log.tsv.
class LogCommands : public CommandTest {
 protected:
  void SetUp() override { file("log.tsv", kLog); }

  /// Runs the command, which must succeed; returns what it said on stderr.
  std::string does(const std::string& words, const std::string& input = "") {
    const Outcome outcome = dcmrank(words, input);
    EXPECT_EQ(outcome.status, 0) << words << "\n" << outcome.err;
    return outcome.err;
  }
};

}  // namespace dcmrank::testing
