#pragma once

#include <stdexcept>

#include "dcmrank/base/same_version.h"

namespace dcmrank {

/// The user's input is wrong; the message says what and where, in one line. Commands exit with
/// status 2. Everything else that is thrown is a failure while running (status 1).
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked to stop (Ctrl-C). No file is left half-written; the message says what is kept.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(const char* message = "interrupted; nothing was written")
      : std::runtime_error(message) {}
};

}  // namespace dcmrank
