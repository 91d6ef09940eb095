#pragma once

#include <filesystem>

#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/heat_map.h"

namespace dcmrank {

/// The drawing as it is to be drawn into `file`: for LaTeX (.tex) every text of it is escaped, so
/// that an id like a_b or \input{x} is shown, not executed.
HeatMap for_file(HeatMap map, const std::filesystem::path& file);

/// Of these the script escapes them (gnuplot::Layout::text), together with those of a style.
inline const Figure& for_file(const Figure& figure, const std::filesystem::path& /*file*/) {
  return figure;
}
inline const Panels& for_file(const Panels& panels, const std::filesystem::path& /*file*/) {
  return panels;
}

}  // namespace dcmrank
