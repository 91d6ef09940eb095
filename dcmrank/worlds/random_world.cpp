#include "dcmrank/worlds/random_world.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/numeric/elementary.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

using nlohmann::ordered_json;

double uniform_between(Rng& rng, double low, double high) {
  return low + (high - low) * rng.uniform();
}

std::uint64_t whole_between(Rng& rng, std::uint64_t low, std::uint64_t high) {
  return low + rng.below(high - low + 1);
}

// n^-exponent, the same bits everywhere.
double falling(std::size_t n, double exponent) {
  return same_exp(-exponent * same_log(static_cast<double>(n)));
}

// The size of a world, and its problem file, which has the attractions.
struct Draft {  // NOLINT(bugprone-exception-escape): moving JSON throws nothing
  std::size_t items = 0;
  std::size_t positions = 0;
  ordered_json json;
};

constexpr std::uint64_t kMostDrawnPositions = 8;
constexpr std::uint64_t kMostDrawnItems = 32;
constexpr std::uint64_t kMoreItems = 4;  // than positions, at least

void check(const FixedParts& fixed) {
  if (fixed.items && !fixed.positions && *fixed.items < kMostDrawnPositions) {
    throw InputError(fmt::format("L = {} is less than K, drawn from 3 to {}, can be: give K",
                                 *fixed.items, kMostDrawnPositions));
  }
  if (fixed.positions && !fixed.items && *fixed.positions + kMoreItems > kMostDrawnItems) {
    throw InputError(fmt::format("K = {} is more than L, drawn from K + {} to {}, allows: give L",
                                 *fixed.positions, kMoreItems, kMostDrawnItems));
  }
  if (fixed.items && (*fixed.items < 2 || *fixed.items > kMaxItems)) {
    throw InputError(fmt::format("L = {} is not from 2 to {}", *fixed.items, kMaxItems));
  }
}

Draft draft(Rng& rng, const FixedParts& fixed) {
  constexpr std::array kBounds{.3, .5, .9};
  Draft world;
  world.positions = whole_between(rng, 3, kMostDrawnPositions);
  if (fixed.positions) world.positions = *fixed.positions;
  world.items = fixed.items ? *fixed.items
                            : whole_between(rng, world.positions + kMoreItems, kMostDrawnItems);
  const double bound = kBounds[rng.below(kBounds.size())];
  const auto [low, high] = fixed.attraction.value_or(std::pair(.02, bound));
  std::vector<double> attraction(world.items);
  for (double& w : attraction) w = uniform_between(rng, low, high);
  world.json["attraction"] = attraction;
  return world;
}

void draw_dcm(Rng& rng, Draft& world) {
  std::vector<double> termination(world.positions);
  for (double& v : termination) v = uniform_between(rng, .05, .95);
  std::sort(termination.begin(), termination.end(), std::greater<>());
  world.json["termination"] = termination;
}

void draw_pbm(Rng& rng, Draft& world) {
  const double p = uniform_between(rng, .4, 1.3);
  std::vector<double> examination;
  for (std::size_t k = 1; k <= world.positions; ++k) examination.push_back(falling(k, p));
  world.json["examination"] = examination;
}

void draw_ubm(Rng& rng, Draft& world) {
  const double p = uniform_between(rng, .3, 1);
  const double q = uniform_between(rng, .2, .9);
  ordered_json rows = ordered_json::array();
  for (std::size_t k = 1; k <= world.positions; ++k) {
    std::vector<double> row;
    for (std::size_t d = 1; d < k; ++d) {
      const double noise = uniform_between(rng, .85, 1.15);
      row.push_back(std::min(1.0, (.6 + .4 * falling(k, p)) * falling(d, q) * noise));
    }
    row.push_back(falling(k, p));
    rows.push_back(row);
  }
  world.json["examination"] = rows;
}

void draw_dbn(Rng& rng, Draft& world) {
  world.json["satisfaction"] = std::vector<double>(world.items, uniform_between(rng, .3, .9));
  world.json["continuation"] = uniform_between(rng, .7, .97);
  world.json["positions"] = world.positions;
}

void draw_ccm(Rng& rng, Draft& world) {
  const double a1 = uniform_between(rng, .7, .98);
  const double a2 = uniform_between(rng, .5, .9);
  const double a3 = uniform_between(rng, .1, .5);
  world.json["alpha"] = {a1, a2, a3};
  world.json["positions"] = world.positions;
}

void draw_cascade(Rng& /*rng*/, Draft& world) { world.json["positions"] = world.positions; }

struct RandomKind {
  std::string name;
  std::uint64_t number;  // its draws depend on it: never change one
  std::string distribution;
  void (*draw)(Rng& rng, Draft& world);
};

const std::vector<RandomKind>& random_kinds() {
  static const std::vector<RandomKind> kinds{
      {"dcm", 1, "terminations from .05 to .95, decreasing", draw_dcm},
      {"pbm", 2, "examination k^-p at position k, p from .4 to 1.3", draw_pbm},
      {"ubm", 3,
       "examination (.6 + .4 k^-p) d^-q at position k, d positions below the last click, times a "
       "factor from .85 to 1.15, at most 1; k^-p without a click above; p from .3 to 1, q from .2 "
       "to .9",
       draw_ubm},
      {"dbn", 4, "one satisfaction for all items, from .3 to .9; continuation from .7 to .97",
       draw_dbn},
      {"ccm", 5, "alpha1 from .7 to .98, alpha2 from .5 to .9, alpha3 from .1 to .5", draw_ccm},
      {"cascade", 6, "nothing else", draw_cascade}};
  return kinds;
}

}  // namespace

std::vector<std::string> random_world_kinds() {
  return names_of(random_kinds(), &RandomKind::name);
}

std::vector<std::string> random_world_distributions() {
  std::vector<std::string> lines{
      "all uniform: K from 3 to 8, L from K + 4 to 32, attractions from .02 to a bound of .3, .5 "
      "or .9"};
  for (const RandomKind& kind : random_kinds()) {
    lines.push_back(fmt::format("{}: {}", kind.name, kind.distribution));
  }
  return lines;
}

World random_world(const std::string& kind, std::uint64_t seed, std::uint64_t number,
                   const std::string& option, const FixedParts& fixed) {
  const RandomKind& chosen = choose(option, kind, random_kinds(), &RandomKind::name);
  Rng rng(stream_key(Stream::kWorlds, seed, subkey(chosen.number, number)));
  check(fixed);
  Draft world = draft(rng, fixed);
  world.json["model"] = chosen.name;
  chosen.draw(rng, world);
  std::string name = fmt::format("{}-{}", kind, number);
  Problem problem = parse_problem(world.json.dump(), name);
  return {std::move(name), fmt::format("random, seed {}", seed), std::move(problem)};
}

}  // namespace dcmrank
