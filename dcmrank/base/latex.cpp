#include "dcmrank/base/latex.h"

#include <array>
#include <string_view>
#include <utility>

namespace dcmrank {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 83> kWords{{
    {"\\", "\\textbackslash{}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"#", "\\#"},
    {"$", "\\$"},
    {"%", "\\%"},
    {"&", "\\&"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"<", "$<$"},
    {">", "$>$"},
    {"|", "$|$"},
    {"±", "$\\pm$"},
    {"−", "$-$"},
    {"×", "$\\times$"},
    {"≤", "$\\leq$"},
    {"≥", "$\\geq$"},
    {"∞", "$\\infty$"},
    {"α", "$\\alpha$"},
    {"β", "$\\beta$"},
    {"γ", "$\\gamma$"},
    {"δ", "$\\delta$"},
    {"ε", "$\\varepsilon$"},
    {"ζ", "$\\zeta$"},
    {"η", "$\\eta$"},
    {"θ", "$\\theta$"},
    {"ι", "$\\iota$"},
    {"κ", "$\\kappa$"},
    {"λ", "$\\lambda$"},
    {"μ", "$\\mu$"},
    {"ν", "$\\nu$"},
    {"ξ", "$\\xi$"},
    {"π", "$\\pi$"},
    {"ρ", "$\\rho$"},
    {"σ", "$\\sigma$"},
    {"τ", "$\\tau$"},
    {"φ", "$\\varphi$"},
    {"χ", "$\\chi$"},
    {"ψ", "$\\psi$"},
    {"ω", "$\\omega$"},
    {"Γ", "$\\Gamma$"},
    {"Δ", "$\\Delta$"},
    {"Θ", "$\\Theta$"},
    {"Λ", "$\\Lambda$"},
    {"Π", "$\\Pi$"},
    {"Σ", "$\\Sigma$"},
    {"Φ", "$\\Phi$"},
    {"Ψ", "$\\Psi$"},
    {"Ω", "$\\Omega$"},
    {"⁰", "$^{0}$"},
    {"¹", "$^{1}$"},
    {"²", "$^{2}$"},
    {"³", "$^{3}$"},
    {"⁴", "$^{4}$"},
    {"⁵", "$^{5}$"},
    {"⁶", "$^{6}$"},
    {"⁷", "$^{7}$"},
    {"⁸", "$^{8}$"},
    {"⁹", "$^{9}$"},
    {"⁻", "$^{-}$"},
    {"₀", "$_{0}$"},
    {"₁", "$_{1}$"},
    {"₂", "$_{2}$"},
    {"₃", "$_{3}$"},
    {"₄", "$_{4}$"},
    {"₅", "$_{5}$"},
    {"₆", "$_{6}$"},
    {"₇", "$_{7}$"},
    {"₈", "$_{8}$"},
    {"₉", "$_{9}$"},
    {"√", "$\\surd$"},
    {"≠", "$\\neq$"},
    {"≈", "$\\approx$"},
    {"→", "$\\to$"},
    {"←", "$\\leftarrow$"},
    {"∈", "$\\in$"},
    {"·", "$\\cdot$"},
    {"∝", "$\\propto$"},
    {"∑", "$\\sum$"},
    {"∏", "$\\prod$"},
    {"′", "$'$"},
    {"ℓ", "$\\ell$"},
}};

// A straight quote is one that opens, or one that closes, by what stands before it.
std::string_view quote_after(std::string_view before) {
  constexpr std::string_view kOpens = " \n\t([{=/:";
  const bool opens = before.empty() || kOpens.find(before.back()) != std::string_view::npos;
  return opens ? "``" : "''";
}

}  // namespace

std::string latex(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.front() == '"') {
      result += quote_after(std::string_view(text).substr(0, at++));
      continue;
    }
    std::size_t taken = 0;
    for (const auto& [letter, word] : kWords) {
      if (!rest.starts_with(letter)) continue;
      result += word;
      taken = letter.size();
      break;
    }
    if (taken == 0) result += text[at];
    at += taken == 0 ? 1 : taken;
  }
  return result;
}

}  // namespace dcmrank
