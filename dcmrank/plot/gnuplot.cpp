#include "dcmrank/plot/gnuplot.h"

#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

namespace dcmrank::gnuplot {

const std::vector<std::string>& file_types() {
  static const std::vector<std::string> types{".svg", ".png", ".pdf", ".eps", ".tex"};
  return types;
}

std::string terminal(const std::filesystem::path& file, const Sheet& sheet) {
  const std::string type = file.extension().string();
  const auto font = [&](double usual) {
    return fmt::format("font '{},{:g}'", sheet.font, sheet.font_size > 0 ? sheet.font_size : usual);
  };
  if (type == ".svg") {  // whose fonts are counted in pixels
    constexpr double kPixelsPerPoint = 96.0 / 72;
    constexpr double kUsual = 15;
    const double pixels = sheet.font_size > 0 ? sheet.font_size * kPixelsPerPoint : kUsual;
    return fmt::format("svg size {:.0f},{:.0f} dynamic font '{},{:g}' background '#ffffff'",
                       sheet.width, sheet.height, sheet.font, pixels);
  }
  if (type == ".png") {
    constexpr double kFiner = 3;
    return fmt::format(
        "pngcairo size {:.0f},{:.0f} {} fontscale {:g} linewidth {:g} pointscale {:g}",
        kFiner * sheet.width, kFiner * sheet.height, font(11), kFiner, kFiner, kFiner);
  }
  const double centimetre = 10 * kPixelsPerMillimetre;
  const std::string size =
      fmt::format("size {:.4g}cm,{:.4g}cm", sheet.width / centimetre, sheet.height / centimetre);
  if (type == ".tex") return "tikz " + size;  // in the document's own fonts
  return fmt::format("{} {} {}", type == ".eps" ? "epscairo" : "pdfcairo", size, font(11));
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
