#pragma once

#include <string>
#include <vector>

namespace dcmrank {

/// The vector instruction sets that this program was compiled for and this machine has, the best
/// first: "AVX2". Results are the same with each.
std::vector<std::string> vector_instructions();

}  // namespace dcmrank
