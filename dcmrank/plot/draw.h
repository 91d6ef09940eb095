#pragma once

#include <filesystem>
#include <string>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/plot/gnuplot.h"

namespace dcmrank {

/// The script next to a picture: figure.svg has figure.gnuplot.
std::filesystem::path script_beside(const std::filesystem::path& picture);

/// Draws a figure, panels or a heat map into a file that appears whole, and writes next to it the
/// gnuplot script, with the data, that redraws it.
template <class Drawing, class... Style>
void draw(const Drawing& drawing, AtomicFile& picture, const Style&... style) {
  gnuplot::run(gnuplot_script(drawing, picture.temporary(), style...), picture.temporary(),
               picture.target());
  picture.commit();
  if (picture.temporary() == picture.target()) return;  // a device has nothing beside it
  AtomicFile script(script_beside(picture.target()));
  script.write(gnuplot_script(drawing, picture.target().filename(), style...));
  script.commit();
}

template <class Drawing, class... Style>
void draw(const Drawing& drawing, const std::filesystem::path& file, const Style&... style) {
  AtomicFile picture(file);
  draw(drawing, picture, style...);
}

}  // namespace dcmrank
