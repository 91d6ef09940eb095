#include "dcmrank/plot/draw.h"

#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace dcmrank {
namespace {

constexpr std::string_view kMark = "# Written by dcmrank: ";

// Scripts of earlier versions have no mark, but all begin alike.
constexpr std::string_view kFormerBeginning = "set encoding utf8\nset terminal ";

bool is_ours(const std::filesystem::path& script) {
  std::string beginning(kFormerBeginning.size(), '\0');
  std::ifstream file(script, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  return beginning.empty() || beginning.starts_with(kMark) || beginning == kFormerBeginning;
}

}  // namespace

std::filesystem::path script_beside(const std::filesystem::path& picture) {
  std::filesystem::path script = picture;
  return script.replace_extension(".gnuplot");
}

std::string write_script(const std::filesystem::path& picture, const std::string& script) {
  const std::filesystem::path path = script_beside(picture);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !is_ours(path)) {
    return fmt::format(
        "{} is not a script of dcmrank: it stays as it is, and the script that redraws "
        "{} is not written",
        path.string(), picture.filename().string());
  }
  AtomicFile file(path);
  file.write(fmt::format("{}'gnuplot {}' redraws {}.\n", kMark, path.filename().string(),
                         picture.filename().string()));
  file.write(script);
  file.commit();
  return {};
}

}  // namespace dcmrank
