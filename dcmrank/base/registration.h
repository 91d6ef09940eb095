#pragma once

#include <string>

#include "dcmrank/base/error.h"

namespace dcmrank {

/// What an add_ function was given cannot be added.
class RegistrationError : public InputError {
 public:
  using InputError::InputError;
};

/// Throws it. Where nobody catches it, as in a main that adds before run_command, the program ends
/// as a command that was used wrongly: one line, and status 2.
[[noreturn]] void refuse_registration(const std::string& why);

}  // namespace dcmrank
