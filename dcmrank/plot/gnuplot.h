#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dcmrank::gnuplot {

/// What all drawings say to gnuplot.

/// The size of a drawing on a screen, in pixels, and its font. On paper 96 pixels are an inch, as
/// browsers have it.
struct Sheet {
  double width = 800;
  double height = 500;
  std::string font = "sans-serif";
  double font_size = 0;  // points; 0: what is usual for the kind of file
};

inline constexpr double kPixelsPerMillimetre = 96 / 25.4;
inline constexpr double kPixelsPerPoint = 96.0 / 72;
inline constexpr double kPngFiner = 3;  // as many pixels of a PNG as of the sheet, either way

/// The kinds of files that can be drawn, by the ending of their names: .svg, .png, .pdf, .eps,
/// .tex.
const std::vector<std::string>& file_types();

/// The terminal for a file, by its ending. A PNG is finer by `kPngFiner`.
std::string terminal(const std::filesystem::path& file, const Sheet& sheet);

/// A text in quotes. gnuplot's single-quoted strings have one escape: a quote is doubled. A line
/// break stands between two of them, in the other kind, in which `commands` would be run.
std::string literal(std::string_view text);

/// Runs a script that draws `file`, which messages call `shown`. Throws std::runtime_error, with
/// gnuplot's reason, if it fails or the picture is not whole: gnuplot takes a full disk for
/// success.
void run(const std::string& script, const std::filesystem::path& file,
         const std::filesystem::path& shown);

}  // namespace dcmrank::gnuplot
