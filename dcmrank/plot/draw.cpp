#include "dcmrank/plot/draw.h"

namespace dcmrank {

std::filesystem::path script_beside(const std::filesystem::path& picture) {
  std::filesystem::path script = picture;
  return script.replace_extension(".gnuplot");
}

}  // namespace dcmrank
