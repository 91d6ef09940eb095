#pragma once

#include <filesystem>

namespace dcmrank::gnuplot {

/// Takes the date out of a picture that gnuplot has written, so that equal commands write equal
/// bytes. A .tex also says which package it needs, a .png how many of its pixels are a
/// metre on paper.
void finish_picture(const std::filesystem::path& picture, double pixels_per_metre);

}  // namespace dcmrank::gnuplot
