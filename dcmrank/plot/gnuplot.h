#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dcmrank::gnuplot {

/// What all drawings say to gnuplot.

/// The size of a drawing on a screen, in pixels.
struct Size {
  int width = 800;
  int height = 500;
};

/// The terminal for a file, by its ending; a PNG has twice as many pixels, a PDF is 16 cm wide.
std::string terminal(const std::filesystem::path& file, const Size& size);

/// A text in quotes. gnuplot's single-quoted strings have one escape: a quote is doubled.
std::string literal(std::string_view text);

/// Runs a script that draws `file`. Throws std::runtime_error where gnuplot fails.
void run(const std::string& script, const std::filesystem::path& file);

}  // namespace dcmrank::gnuplot
