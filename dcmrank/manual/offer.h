#pragma once

#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace dcmrank::manual {

/// Says by which words the value of an option can begin, for shells that complete it. Nothing is
/// refused by it, and --help does not show it. Returns the option.
CLI::Option* offer(CLI::Option* option, const std::vector<std::string>& words);

/// What was offered; empty: nothing, so that shells complete files.
std::vector<std::string> offered(CLI::Option& option);

}  // namespace dcmrank::manual
