#include "dcmrank/plot/gnuplot.h"

#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

namespace dcmrank::gnuplot {

std::string terminal(const std::filesystem::path& file, const Size& size) {
  const std::string type = file.extension().string();
  if (type == ".svg") {
    return fmt::format("svg size {},{} dynamic font 'sans-serif,15' background '#ffffff'",
                       size.width, size.height);
  }
  if (type == ".png") {
    return fmt::format("pngcairo size {},{} font 'sans-serif,22' fontscale 1 linewidth 2",
                       2 * size.width, 2 * size.height);
  }
  constexpr double kCentimetres = 16;
  return fmt::format("pdfcairo size {}cm,{}cm font 'sans-serif,11'", kCentimetres,
                     kCentimetres * size.height / size.width);
}

std::string literal(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\n') continue;
    result += c;
    if (c == '\'') result += c;
  }
  return result + "'";
}

void run(const std::string& script, const std::filesystem::path& file) {
  // Numbers with a point and text as UTF-8, wherever the caller lives.
  std::FILE* pipe = ::popen("LC_ALL=C.UTF-8 gnuplot", "w");
  if (pipe == nullptr) throw std::runtime_error("cannot start gnuplot");
  const bool written = std::fwrite(script.data(), 1, script.size(), pipe) == script.size();
  if (::pclose(pipe) != 0 || !written) {
    throw std::runtime_error(fmt::format("gnuplot could not draw {}", file.string()));
  }
}

}  // namespace dcmrank::gnuplot
