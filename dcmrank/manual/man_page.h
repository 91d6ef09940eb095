#pragma once

#include <string>
#include <vector>

#include "dcmrank/manual/words.h"

namespace dcmrank::manual {

struct ManPage {
  std::string file;  // dcmrank-simulate.1
  std::string text;  // for man(1): roff with the macros of man(7)
};

/// A page for the program and one for each of its commands.
std::vector<ManPage> man_pages(const Program& program, const std::string& version);

}  // namespace dcmrank::manual
