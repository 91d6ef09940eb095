#pragma once

#include <string>

#include "dcmrank/manual/words.h"

namespace dcmrank::manual {

/// Scripts by which a shell completes the commands, their options, and values: the words that are
/// offered (offer.h), files for all others.
std::string bash_completion(const Program& program);
std::string zsh_completion(const Program& program);
std::string fish_completion(const Program& program);

}  // namespace dcmrank::manual
