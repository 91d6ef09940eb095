#pragma once

#include <filesystem>

namespace dcmrank::gnuplot {

/// Takes the date out of a picture that gnuplot has written, so that equal commands write equal
/// bytes. A .tex also says which package it needs.
void make_timeless(const std::filesystem::path& picture);

}  // namespace dcmrank::gnuplot
