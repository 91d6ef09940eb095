#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/plot/fonts.h"
#include "dcmrank/plot/gnuplot.h"
#include "dcmrank/plot/heat_map.h"
#include "dcmrank/plot/layout.h"
#include "dcmrank/plot/legend.h"
#include "dcmrank/plot/plot_note.h"
#include "dcmrank/plot/tex_texts.h"

namespace dcmrank {

/// The script next to a picture: figure.svg has figure.gnuplot.
std::filesystem::path script_beside(const std::filesystem::path& picture);

/// Writes the script next to a picture, unless a file of that name is there that draw() did not
/// write: that one stays. Returns a note where it does.
std::string write_script(const std::filesystem::path& picture, const std::string& script);

/// Draws a figure, panels or a heat map into a file that appears whole, and writes next to it the
/// gnuplot script, with the data, that redraws it.
template <class Drawing, class... Style>
PlotNotes draw(const Drawing& given, AtomicFile& picture, const Style&... style) {
  const std::filesystem::path& file = picture.target();
  const Drawing& drawing = for_file(given, file);
  gnuplot::check_points_of(drawing, file, style...);
  const auto [drawn, note] =
      with_known_letters(gnuplot_script(drawing, picture.temporary(), style...), file);
  gnuplot::run(drawn, picture.temporary(), file);
  picture.commit();
  PlotNotes notes{note, font_note(drawn, file), gnuplot::size_note(drawing, file, style...),
                  gnuplot::legend_note(drawing, file, style...)};
  if (picture.temporary() == file) return notes;  // a device has nothing beside it
  notes.push_back({write_script(file, gnuplot_script(drawing, file.filename(), style...))});
  return notes;
}

template <class Drawing, class... Style>
PlotNotes draw(const Drawing& drawing, const std::filesystem::path& file, const Style&... style) {
  AtomicFile picture(file);
  return draw(drawing, picture, style...);
}

}  // namespace dcmrank
