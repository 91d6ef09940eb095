#include "dcmrank/plot/fonts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/plot/letters.h"

namespace dcmrank {
namespace {

// Letters that any font has: those of Europe's languages, and punctuation.
constexpr std::uint32_t kFirstRare = 0x250;
constexpr std::size_t kMostAsked = 64;

// Behind the name of the file, which is no text of the picture.
std::size_t begin_of_texts(const std::string& script) {
  const std::size_t output = script.find("set output ");
  return output == std::string::npos ? 0 : std::min(script.find('\n', output), script.size());
}

enum class Found : std::uint8_t { kYes, kNo, kUnknown };

// Whether a font has all of the letters.
Found font_with(const std::set<Letter>& letters) {
  std::string codes;
  for (const Letter& letter : letters)
    codes += fmt::format("{}{:x}", codes.empty() ? "" : " ", letter.code);
  const std::string command = fmt::format("fc-list ':charset={}' 2>/dev/null", codes);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return Found::kUnknown;
  std::array<char, 256> buffer{};
  bool any = false;
  while (std::fread(buffer.data(), 1, buffer.size(), pipe) > 0) any = true;
  if (::pclose(pipe) != 0) return Found::kUnknown;
  return any ? Found::kYes : Found::kNo;
}

// Those that no font has. Several fonts may have them all.
std::set<Letter> missing_of(const std::set<Letter>& letters) {
  if (letters.empty() || font_with(letters) != Found::kNo) return {};
  std::set<Letter> missing;
  std::size_t asked = 0;
  for (const Letter& letter : letters) {
    // Of very many, those that are left are taken to be like the last.
    const bool known = asked == kMostAsked ? missing.empty() : font_with({letter}) != Found::kNo;
    asked = std::min(asked + 1, kMostAsked);
    if (!known) missing.insert(letter);
  }
  return missing;
}

}  // namespace

KnownLetters with_known_letters(std::string script, const std::filesystem::path& picture) {
  const std::string type = picture.extension().string();
  if (type == ".svg" || type == ".tex") return {std::move(script), {}};
  const std::size_t begin = begin_of_texts(script);
  std::set<Letter> rare;
  for_letters(script, begin, [&](const Letter& letter) {
    if (letter.code >= kFirstRare) rare.insert(letter);
  });
  const auto missing = missing_of(rare);
  if (missing.empty()) return {std::move(script), {}};
  std::string known = script.substr(0, begin);
  for_letters(script, begin,
              [&](const Letter& letter) { known += missing.contains(letter) ? "?" : letter.text; });
  const std::string what = fmt::format(
      " a ? in place of {}. Install a font that has them (Chinese, Japanese, Korean: "
      "fonts-noto-cjk), or draw an .svg",
      how_many(missing.size(), "such letter"));
  return {known,
          {fmt::format("no font of this machine has the letter {}: ", missing.begin()->text),
           picture.filename().string(), " has" + what, " have" + what}};
}

namespace {

// Names for whatever font is usual.
bool is_generic(const std::string& font) {
  const auto names = {"sans-serif", "sans", "serif", "monospace", "mono"};
  return std::find(names.begin(), names.end(), font) != names.end();
}

// The families that fontconfig takes for a name, with commas between; empty if it cannot be asked.
std::string families_for(const std::string& font) {
  const std::string command = fmt::format("fc-match --format='%{{family}}' '{}' 2>/dev/null", font);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string families;
  std::array<char, 256> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    families.append(buffer.data(), n);
  }
  return ::pclose(pipe) == 0 ? families : std::string();
}

std::string in_small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

PlotNote font_note(const std::string& script, const std::filesystem::path& picture) {
  const std::string type = picture.extension().string();
  if (type == ".svg" || type == ".tex") return {};
  constexpr std::string_view kFont = " font '";
  const std::size_t begin = script.find(kFont);
  if (begin == std::string::npos) return {};
  const std::size_t name = begin + kFont.size();
  const std::string font = script.substr(name, script.find_first_of(",'", name) - name);
  if (is_generic(font)) return {};
  const std::string families = families_for(font);
  const std::string wanted = "," + in_small_letters(font) + ",";
  if (families.empty() ||
      ("," + in_small_letters(families) + ",").find(wanted) != std::string::npos) {
    return {};
  }
  const std::string drawn = families.substr(0, families.find(','));
  return {fmt::format("the font {} is not installed: ", quote(font)), picture.filename().string(),
          " is drawn in " + drawn, " are drawn in " + drawn};
}

}  // namespace dcmrank
