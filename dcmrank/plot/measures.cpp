#include <algorithm>
#include <cctype>
#include <sstream>

#include "dcmrank/base/latex.h"
#include "dcmrank/plot/layout.h"
#include "dcmrank/plot/letters.h"

/// How wide texts are, in a drawing and by gnuplot's estimate.
namespace dcmrank::gnuplot {
namespace {

constexpr double kOfLatex = 0.9;  // its letters, of those of a font without serifs

bool is_monospaced(std::string font) {
  std::transform(font.begin(), font.end(), font.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return font.find("mono") != std::string::npos || font.find("courier") != std::string::npos;
}

// Letters that gnuplot counts in a text for LaTeX: a command is one, and braces, dollars and what
// raises or lowers are none.
std::size_t count_latex(const std::string& text) {
  if (text.find_first_of("{}$[]\\") == std::string::npos) return text.size();
  std::size_t n = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      while (at + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[at + 1])) != 0) {
        ++at;
      }
      ++n;
    } else if (std::string_view("{}$_^").find(text[at]) == std::string_view::npos) {
      ++n;
    }
  }
  return n;
}

// The words of a text, of which "K = 4" is one.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream words(text);
  std::string last;
  for (std::string word; words >> word; last = word) {
    if (!parts.empty() && (word == "=" || last == "=")) {
      parts.back() += ' ' + word;
    } else {
      parts.push_back(word);
    }
  }
  return parts;
}

}  // namespace

std::string Layout::text(const std::string& words) const {
  return literal(is_tex ? latex(words) : words);
}

std::string Layout::label(std::string words) const {
  std::replace(words.begin(), words.end(), '\n', ' ');
  return text(words);
}

double Layout::width_of(const std::string& words) const {
  constexpr double kMonospaced = 0.602;
  if (is_tex) return kOfLatex * text_width(words) * letter;
  if (!is_monospaced(sheet.font)) return text_width(words) * letter;
  return kMonospaced * static_cast<double>(count_letters(words)) * letter;
}

double Layout::widest_of(const std::vector<std::string>& texts) const {
  double widest = 0;
  for (const std::string& text : texts) widest = std::max(widest, width_of(text));
  return widest;
}

std::string broken(const std::string& text, double width, const Layout& layout) {
  std::string result;
  std::string line;
  for (const std::string& word : parts_of(text)) {
    std::string longer = line;
    if (!line.empty()) longer += ' ';
    longer += word;
    if (!line.empty() && layout.width_of(longer) > width) {
      result += line + '\n';
      line = word;
    } else {
      line = longer;
    }
  }
  return result + line;
}

double wider_by(const std::vector<Series>& series, const Layout& layout) {
  double widest = 0;
  std::size_t most = 0;
  for (const Series& one : series) {
    widest = std::max(widest, layout.width_of(one.label));
    most = std::max(most, layout.is_tex ? count_latex(latex(one.label)) : count_letters(one.label));
  }
  return widest / (layout.box.width * layout.letter) - static_cast<double>(most) + kLegendApart;
}

}  // namespace dcmrank::gnuplot
