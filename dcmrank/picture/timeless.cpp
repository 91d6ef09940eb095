#include "dcmrank/picture/timeless.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/picture/pdf_date.h"
#include "dcmrank/picture/png_resolution.h"

namespace dcmrank::gnuplot {
namespace {

constexpr std::string_view kPackage =
    "% Needs \\usepackage{gnuplot-lua-tikz}: the style comes with gnuplot;\n"
    "% where LaTeX does not find it, `gnuplot -e \"set term tikz createstyle\"` writes it.\n";

// The line that begins with `beginning`, if the picture has one.
void erase_line(std::string& bytes, std::string_view beginning) {
  const std::size_t at = bytes.find(beginning);
  if (at == std::string::npos || (at > 0 && bytes[at - 1] != '\n')) return;
  bytes.erase(at, std::min(bytes.find('\n', at), bytes.size() - 1) - at + 1);
}

// The second comment of the picture is the date.
void erase_tikz_date(std::string& bytes) {
  const std::size_t first = bytes.find("%% generated");
  const std::size_t end = first == std::string::npos ? first : bytes.find('\n', first);
  if (end == std::string::npos || bytes.compare(end + 1, 3, "%% ") != 0) return;
  bytes.erase(end + 1, bytes.find('\n', end + 1) - end);
}

}  // namespace

void finish_picture(const std::filesystem::path& picture, double pixels_per_metre) {
  const std::string type = picture.extension().string();
  if ((type != ".tex" && type != ".eps" && type != ".pdf" && type != ".png") ||
      !std::filesystem::is_regular_file(picture)) {
    return;
  }
  std::string bytes = read_file(picture);
  if (bytes.empty()) return;
  if (type == ".png") set_png_resolution(bytes, pixels_per_metre);
  if (type == ".eps") erase_line(bytes, "%%CreationDate:");
  if (type == ".pdf") overwrite_pdf_date(bytes);
  if (type == ".tex") {
    erase_tikz_date(bytes);
    bytes.insert(0, kPackage);
  }
  std::ofstream(picture, std::ios::binary | std::ios::trunc) << bytes << std::flush;
}

}  // namespace dcmrank::gnuplot
