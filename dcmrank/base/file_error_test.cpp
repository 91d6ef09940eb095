#include "dcmrank/base/file_error.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "dcmrank/base/atomic_file.h"

namespace dcmrank {
namespace {

TEST(FileError, TellsTheCodeAndTheFile) {
  const auto expect_missing = [](const FileError& error, const std::string& message) {
    EXPECT_EQ(error.code(), ENOENT);
    EXPECT_EQ(error.path(), "/no/such/file");
    EXPECT_EQ(error.what(), message);
  };
  try {
    read_file("/no/such/file");
    FAIL();
  } catch (const FileError& error) {
    expect_missing(error, "cannot read /no/such/file: No such file or directory");
  }
  try {
    AtomicFile file("/no/such/file");
    FAIL();
  } catch (const FileError& error) {
    expect_missing(error, "cannot write /no/such/file: No such file or directory");
  }
}

}  // namespace
}  // namespace dcmrank
