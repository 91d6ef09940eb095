#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "service_test.h"

namespace dcmrank::testing {

/// Options from flags, the environment and a file.
class Config : public ServiceTest {
 protected:
  Outcome serve(std::vector<std::string> environment, const std::vector<std::string>& words) {
    environment.insert(environment.begin(), "env");
    environment.insert(environment.end(), {places::kProgram, "serve"});
    environment.insert(environment.end(), words.begin(), words.end());
    return Process(environment, folder()).wait();
  }
  std::string print(const std::vector<std::string>& environment, std::vector<std::string> words) {
    words.emplace_back("--print-config");
    const Outcome outcome = serve(environment, words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  // The line of an option, with where its value comes from.
  static std::string line(const std::string& printed, const std::string& name) {
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(name + " = ")) return line.substr(name.size() + 3);
    }
    return "";
  }
  static std::string without_comments(const std::string& printed) {
    std::istringstream lines(printed);
    std::string text;
    for (std::string line; std::getline(lines, line);)
      text += line.substr(0, line.find("  #")) + "\n";
    return text;
  }
  void refuses(const std::string& text, const std::string& part) {
    write(folder() / "c.toml", text);
    const Outcome outcome = serve({}, {"--config", "c.toml", "--print-config"});
    EXPECT_EQ(outcome.status, 2) << text;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << text << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
};

}  // namespace dcmrank::testing
