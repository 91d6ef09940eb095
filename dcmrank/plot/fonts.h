#pragma once

#include <filesystem>
#include <string>

#include "dcmrank/plot/plot_note.h"

namespace dcmrank {

struct KnownLetters {
  std::string script;
  PlotNote note;  // where letters were replaced
};

/// The gnuplot script with question marks for letters that no font of this machine has, of which
/// gnuplot would draw boxes larger than the picture. As it is if all are there, if it cannot be
/// told, or if the fonts are those of whoever shows the picture (.svg, .tex).
KnownLetters with_known_letters(std::string script, const std::filesystem::path& picture);

/// One line where the font that the script asks for is not on this machine, so that another is
/// drawn; empty if it is, if it cannot be told, or if the font is whoever's who shows the picture.
PlotNote font_note(const std::string& script, const std::filesystem::path& picture);

}  // namespace dcmrank
