#include "dcmrank/users/screen.h"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {
namespace {

std::size_t parse_depth(std::string_view text, std::size_t positions) {
  const auto depth = parse_unsigned(text);
  if (!depth || *depth == 0 || *depth > positions) {
    throw InputError(fmt::format("depth {} is not from 1 to {}", quote(text), positions));
  }
  return static_cast<std::size_t>(*depth);
}

double parse_weight(std::string_view text) {
  const auto weight = parse_double(text);
  if (!weight || !(*weight >= 0) || !std::isfinite(*weight)) {
    throw InputError(fmt::format("chance {} is not a number from 0 to 1", quote(text)));
  }
  return *weight;
}

}  // namespace

ScreenDepths parse_screen_depths(std::string_view text, std::size_t positions) {
  ScreenDepths chance(positions, 0.0);
  for (const std::string_view part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    const bool alone = colon == std::string_view::npos;
    chance[parse_depth(part.substr(0, colon), positions) - 1] +=
        alone ? 1 : parse_weight(part.substr(colon + 1));
  }
  const double sum = std::accumulate(chance.begin(), chance.end(), 0.0);
  constexpr double kRounding = 1e-3;  // thirds are written as .333
  if (!(std::abs(sum - 1) <= kRounding)) {
    throw InputError(fmt::format("the chances of the depths add up to {:.6g}, not to 1", sum));
  }
  for (double& c : chance) c /= sum;
  return chance;
}

}  // namespace dcmrank
