#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "process.h"
#include "tests/places.h"

namespace dcmrank::testing {

/// The fixture of all tests of the command: the verbs in which they are written. Every command runs
/// the real program, in an empty folder of its own.
class CommandTest : public ::testing::Test {
 protected:
  /// Runs `dcmrank WORDS...`; the words are separated by blanks.
  Outcome dcmrank(const std::string& words, const std::string& input = "") {
    return Process(command(words), folder(), input).wait();
  }

  static std::vector<std::string> command(const std::string& words) {
    std::vector<std::string> result{places::kProgram};
    std::istringstream stream(words);
    for (std::string word; stream >> word;) result.push_back(word);
    return result;
  }

  /// The command is refused as wrong usage or input (status 2): nothing on stdout, one line on
  /// stderr that has each of `parts`, no file left behind.
  void refuses(const std::string& words, const std::vector<std::string>& parts,
               const std::string& input = "") {
    expect_refused(words, command(words), parts, input);
  }

  /// So is an empty value of the option that the words end with.
  void refuses_empty(const std::string& words) {
    auto with_nothing = command(words);
    const std::string option = with_nothing.back();
    with_nothing.emplace_back();
    expect_refused(words + " ''", with_nothing, {option, "is empty"});
  }

  void expect_refused(const std::string& words, const std::vector<std::string>& command,
                      const std::vector<std::string>& parts, const std::string& input = "") {
    const auto before = files();
    const Outcome outcome = Process(command, folder(), input).wait();
    EXPECT_EQ(outcome.status, 2) << words;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    for (const std::string& part : parts) {
      EXPECT_NE(outcome.err.find(part), std::string::npos) << part << "\nnot in: " << outcome.err;
    }
    EXPECT_EQ(files(), before) << words;
  }

  /// Runs the command, which must succeed, and returns what it wrote to stdout as JSON.
  nlohmann::ordered_json json(const std::string& words, const std::string& input = "") {
    const Outcome outcome = dcmrank(words, input);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::ordered_json::parse(outcome.out);
  }

  void file(const std::string& name, const std::string& text) { write(folder() / name, text); }
  std::string content(const std::string& name) const { return read(folder() / name); }
  std::filesystem::path folder() const { return folder_.path(); }

  /// The names in the folder, hidden ones included.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace dcmrank::testing
