#include "dcmrank/plot/gnuplot.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "dcmrank/picture/timeless.h"

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
    constexpr double kUsual = 15;
    const double pixels = sheet.font_size > 0 ? sheet.font_size * kPixelsPerPoint : kUsual;
    return fmt::format("svg size {:.0f},{:.0f} dynamic font '{},{:g}' background '#ffffff'",
                       sheet.width, sheet.height, sheet.font, pixels);
  }
  if (type == ".png") {
    return fmt::format(
        "pngcairo size {:.0f},{:.0f} {} fontscale {:g} linewidth {:g} pointscale {:g}",
        kPngFiner * sheet.width, kPngFiner * sheet.height, font(11), kPngFiner, kPngFiner,
        kPngFiner);
  }
  const double centimetre = 10 * kPixelsPerMillimetre;
  if (type == ".tex") {  // in the document's own fonts
    return fmt::format("tikz size {:.4g}cm,{:.4g}cm", sheet.width / centimetre,
                       sheet.height / centimetre);
  }
  // Such a sheet has whole points: the nearest, where gnuplot would take those below.
  const auto inches = [](double pixels) {
    constexpr double kPointsPerInch = 72;
    return (std::round(pixels / kPixelsPerPoint) + 0.01) / kPointsPerInch;
  };
  // Half as large as asked for by default, and counted at 96 points an inch: 0.75 makes a point a
  // point.
  return fmt::format("{} size {:.6g}in,{:.6g}in {} fontscale 0.75",
                     type == ".eps" ? "epscairo" : "pdfcairo", inches(sheet.width),
                     inches(sheet.height), font(11));
}

std::string literal(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\n') {
      result += "'.\"\\n\".'";
      continue;
    }
    result += c;
    if (c == '\'') result += c;
  }
  return result + "'";
}

namespace {

// What gnuplot has to say, kept off the terminal. Removed with the object.
class Messages {
 public:
  Messages() : file_(std::tmpfile()) {}
  ~Messages() {
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
    if (file_ != nullptr) (void)std::fclose(file_);
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  Messages(Messages&&) = delete;
  Messages& operator=(Messages&&) = delete;

  std::string redirection() const {
    if (file_ == nullptr) return "2>/dev/null";
    return fmt::format("2>/proc/self/fd/{}", ::fileno(file_));
  }
  // The last line that says something; lines that quote the script point at it with a caret.
  std::string last() const {
    std::string result;
    if (file_ == nullptr) return result;
    std::rewind(file_);
    std::array<char, 1024> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), file_) != nullptr) {
      std::string_view line = buffer.data();
      while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
        line.remove_suffix(1);
      }
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      if (!line.empty() && line != "^") result = line;
    }
    return result;
  }

 private:
  std::FILE* file_;
};

// What a whole picture ends with.
std::string_view end_of(const std::string& type) {
  if (type == ".svg") return "</svg>";
  if (type == ".png") return "IEND";
  if (type == ".tex") return "\\end{tikzpicture}";
  return "%%EOF";
}

// Why the picture is not whole; empty if it is.
std::string missing(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return {};  // a device
  const auto size = std::filesystem::file_size(file, error);
  if (error || size == 0) return "there is no point within the axes";
  constexpr std::uintmax_t kTail = 256;
  std::ifstream picture(file, std::ios::binary);
  picture.seekg(-static_cast<std::streamoff>(std::min(size, kTail)), std::ios::end);
  const std::string tail{std::istreambuf_iterator<char>(picture), {}};
  if (tail.find(end_of(file.extension().string())) != std::string::npos) return {};
  return "it could not be written whole; is the disk full?";
}

}  // namespace

void run(const std::string& script, const std::filesystem::path& file,
         const std::filesystem::path& shown) {
  const Messages messages;
  // Numbers with a point and text as UTF-8, wherever the caller lives.
  const std::string command = "LC_ALL=C.UTF-8 gnuplot " + messages.redirection();
  std::FILE* pipe = ::popen(command.c_str(), "w");
  if (pipe == nullptr) throw std::runtime_error("cannot start gnuplot");
  const bool written = std::fwrite(script.data(), 1, script.size(), pipe) == script.size();
  const bool drawn = ::pclose(pipe) == 0 && written;
  if (drawn) finish_picture(file, kPngFiner * kPixelsPerMillimetre * 1000);
  const std::string reason = drawn ? missing(file) : messages.last();
  if (drawn && reason.empty()) return;
  throw std::runtime_error(fmt::format("gnuplot could not draw {}: {}", shown.string(), reason));
}

}  // namespace dcmrank::gnuplot
