#pragma once

#include <string>

namespace dcmrank::command {

/// What --version prints: the program's version, what it was built with and what it runs on.
std::string version_text();

}  // namespace dcmrank::command
