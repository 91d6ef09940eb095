#pragma once

#include <string>

namespace dcmrank::gnuplot {

/// Writes into a PNG how many of its pixels are a metre on paper, unless it says so already. What
/// is no PNG stays as it is.
void set_png_resolution(std::string& bytes, double pixels_per_metre);

}  // namespace dcmrank::gnuplot
