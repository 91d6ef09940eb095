#include "dcmrank/numeric/instructions.h"

#include <hwy/targets.h>

namespace dcmrank {

std::vector<std::string> vector_instructions() {
  std::vector<std::string> names;
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

}  // namespace dcmrank
