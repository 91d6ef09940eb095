#pragma once

#include <stdexcept>

namespace dcmrank {

/// What the user gave is wrong; the message names what and where, in one line. Commands exit with
/// status 2. Everything else that is thrown is a failure while running (status 1).
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked to stop (Ctrl-C). Nothing half-written is left behind.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace dcmrank
