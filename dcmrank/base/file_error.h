#pragma once

#include <string>

#include "dcmrank/base/error.h"

namespace dcmrank {

/// A file that cannot be opened. `code` is the system's errno, for callers whose language has
/// errors of its own for it.
class FileError : public InputError {
 public:
  /// "cannot DOING PATH: REASON", the reason that of `code`.
  FileError(const char* doing, std::string path, int code);

  const std::string& path() const { return path_; }
  int code() const { return code_; }

 private:
  std::string path_;
  int code_;
};

}  // namespace dcmrank
