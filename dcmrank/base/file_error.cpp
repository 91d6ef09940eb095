#include "dcmrank/base/file_error.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace dcmrank {

FileError::FileError(const char* doing, std::string path, int code)
    : InputError(
          fmt::format("cannot {} {}: {}", doing, path, std::generic_category().message(code))),
      path_(std::move(path)),
      code_(code) {}

}  // namespace dcmrank
