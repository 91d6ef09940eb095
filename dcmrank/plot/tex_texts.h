#pragma once

#include <filesystem>

#include "dcmrank/plot/figure.h"
#include "dcmrank/plot/heat_map.h"

namespace dcmrank {

/// The drawing as it is to be drawn into `file`: for LaTeX (.tex) every text of it is escaped, so
/// that an id like a_b or \input{x} is shown, not executed.
Figure for_file(Figure figure, const std::filesystem::path& file);
Panels for_file(Panels panels, const std::filesystem::path& file);
HeatMap for_file(HeatMap map, const std::filesystem::path& file);

}  // namespace dcmrank
