#include "dcmrank/policy/browsing_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/numeric/cholesky.h"
#include "dcmrank/numeric/elementary.h"

namespace dcmrank {
namespace {

constexpr int kSweeps = 12;
constexpr double kMostCertain = .98;  // a click is never taken for more certain than this
constexpr double kItemPrior = 2;      // looks that the prior of an attraction is worth
constexpr double kContextPrior = 4;   // looks that the prior of an examination is worth
constexpr double kLeastPivot = .25;
constexpr int kSweepsFirst = 2;     // before scales are looked at
constexpr double kLongestStep = 1;  // of the logarithm of a scale

double weight(double click) { return 1 / (1 - std::min(kMostCertain, click)); }

using Sums = BrowsingFit::Sums;

double overall_rate(const BrowsingTable& table, const std::vector<double>& g) {
  Sums all;
  for (Item e = 0; e < table.items(); ++e) {
    const auto row = table.row(e);
    for (std::size_t b = 0; b < row.size(); ++b) {
      all.clicks += static_cast<double>(row[b].clicked);
      all.looks += static_cast<double>(row[b].shown) * g[b];
    }
  }
  return all.looks > 0 ? std::min(1.0, all.clicks / all.looks) : .5;
}

double fit_item(std::span<const BrowsingCell> row, const std::vector<double>& g, double before,
                double prior) {
  Sums sums{kItemPrior * prior, kItemPrior};
  for (std::size_t b = 0; b < row.size(); ++b) {
    if (row[b].shown == 0) continue;
    const double omega = weight(before * g[b]);
    sums.clicks += omega * static_cast<double>(row[b].clicked);
    sums.looks += omega * static_cast<double>(row[b].shown) * g[b];
  }
  return std::min(1.0, sums.clicks / sums.looks);
}

void fit_contexts(const std::vector<Sums>& sums, std::size_t positions, double most,
                  std::vector<double>& g) {
  for (std::size_t k = 1; k < positions; ++k) {
    Sums all;
    for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b) {
      all.clicks += sums[b].clicks;
      all.looks += sums[b].looks;
    }
    // Never 0, which would leave clicks without an explanation.
    const double pooled = std::min(most, (all.clicks + 1) / (all.looks + 1));
    for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b) {
      g[b] = std::min(most,
                      (sums[b].clicks + kContextPrior * pooled) / (sums[b].looks + kContextPrior));
    }
  }
}

void sweep(const BrowsingTable& table, double most, std::vector<double>& g, std::vector<double>& w,
           std::vector<Sums>& sums) {
  const double prior = overall_rate(table, g);
  sums.assign(g.size(), {});
  for (Item e = 0; e < table.items(); ++e) {
    const auto row = table.row(e);
    w[e] = row.empty() ? prior : fit_item(row, g, w[e], prior);
    for (std::size_t b = 0; b < row.size(); ++b) {
      if (row[b].shown == 0) continue;
      const double omega = weight(w[e] * g[b]);
      sums[b].clicks += omega * static_cast<double>(row[b].clicked);
      sums[b].looks += omega * static_cast<double>(row[b].shown) * w[e];
    }
  }
  fit_contexts(sums, table.positions(), most, g);
}

BrowsingFit::Known known_of(std::span<const BrowsingCell> row, const std::vector<double>& g,
                            double w) {
  double looks = 0;
  Sums weighted;
  double squares = 0;
  for (std::size_t b = 0; b < row.size(); ++b) {
    const auto shown = static_cast<double>(row[b].shown);
    const double omega = weight(w * g[b]);
    looks += shown * g[b];
    weighted.looks += omega * shown * g[b];
    weighted.clicks += omega * static_cast<double>(row[b].clicked);
    squares += omega * shown * g[b] * g[b];
  }
  if (!(weighted.looks > 0)) return {};
  const double examination = squares / weighted.looks;
  const double observed =
      std::min(looks, weighted.looks * (1 - std::min(kMostCertain, examination * w)));
  return {observed, std::min(1.0, weighted.clicks / weighted.looks) * observed, examination};
}

// Of an item, by position: `looks` become the information about ln w_e, H, `clicks` the slope of
// the log-likelihood by it, both from contexts examined less than `most`. Returns their sums over
// all contexts.
Sums look_at(std::span<const BrowsingCell> row, const std::vector<double>& g, double w, double most,
             std::span<Sums> by_position) {
  Sums all;
  for (std::size_t k = 0; k < by_position.size(); ++k) {
    by_position[k] = {};
    for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b) {
      if (row[b].shown == 0) continue;
      const double q = std::min(kMostCertain, w * g[b]);
      const double expected = static_cast<double>(row[b].shown) * q;
      const double information = expected / (1 - q);
      const double slope = (static_cast<double>(row[b].clicked) - expected) / (1 - q);
      all.looks += information;
      all.clicks += slope;
      if (g[b] >= most) continue;
      by_position[k].looks += information;
      by_position[k].clicks += slope;
    }
  }
  return all;
}

// The doubt about the scales of positions, and the slope of the likelihood by them, attractions
// following; from contexts examined less than `most`.
void find_doubt(const BrowsingTable& table, double most, BrowsingFit& fit) {
  const std::size_t n = table.positions() - 1;
  fit.share.assign(table.items() * n, 0);
  fit.root.assign(n * n, 0);
  fit.slope.assign(n, 0);
  for (std::size_t k = 0; k < n; ++k) fit.root[k * n + k] = 1;
  std::vector<Sums>& at = fit.at_position;
  at.resize(table.positions());
  for (Item e = 0; e < table.items(); ++e) {
    const auto row = table.row(e);
    if (row.empty()) continue;
    const Sums all = look_at(row, fit.examination, fit.attraction[e], most, at);
    if (!(all.looks > 0)) continue;
    for (std::size_t k = 0; k < n; ++k) {
      const double h = at[k + 1].looks;
      fit.share[e * n + k] = h / all.looks;
      fit.slope[k] += at[k + 1].clicks - h / all.looks * all.clicks;
      fit.root[k * n + k] += h;
      for (std::size_t l = 0; l <= k; ++l) fit.root[k * n + l] -= h * at[l + 1].looks / all.looks;
    }
  }
  take_root(fit.root, n, [](double left, double) { return std::max(left, kLeastPivot); });
}

// How much the examination of a position may be multiplied by: until one of its contexts, of which
// enough was seen, is examined the most that is possible.
double room_to_rise(const BrowsingFit& fit, std::size_t k, double most) {
  constexpr double kEnough = .125;
  double looks = 0;
  double highest = 0;
  for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b)
    looks += fit.sums[b].looks;
  for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b) {
    if (fit.sums[b].looks >= kEnough * looks) highest = std::max(highest, fit.examination[b]);
  }
  return highest > 0 ? most / highest : 1;
}

// Sweeps hardly move the scale of a position whose items seldom stand elsewhere: that is what a
// step of Newton's method does.
void rescale(const BrowsingTable& table, double most, BrowsingFit& fit) {
  find_doubt(table, most, fit);
  solve_both(fit.root, fit.slope);
  for (std::size_t k = 1; k < table.positions(); ++k) {
    const double step = std::clamp(fit.slope[k - 1], -kLongestStep, kLongestStep);
    const double factor = std::min(same_exp(step), room_to_rise(fit, k, most));
    for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b) {
      double& g = fit.examination[b];
      if (g < most) g = std::min(most, g * factor);
    }
  }
}

}  // namespace

BrowsingTable::BrowsingTable(std::size_t items, std::size_t positions)
    : positions_(positions), contexts_(contexts_above(positions)), rows_(items, kNone) {
  constexpr std::size_t kFew = 256;  // items for which there is room at once
  cells_.reserve(std::min(items, kFew) * contexts_);
}

std::span<const BrowsingCell> BrowsingTable::row(Item e) const {
  if (rows_[e] == kNone) return {};
  return std::span(cells_).subspan(rows_[e] * contexts_, contexts_);
}

std::span<BrowsingCell> BrowsingTable::make_row(Item e) {
  if (rows_[e] == kNone) {
    rows_[e] = static_cast<std::uint32_t>(seen());
    cells_.resize(cells_.size() + contexts_);
  }
  return std::span(cells_).subspan(rows_[e] * contexts_, contexts_);
}

void BrowsingTable::add(std::span<const Item> list, Clicks clicks) {
  for_contexts(clicks, [&](std::size_t k, std::size_t context) {
    BrowsingCell& cell = make_row(list[k])[context];
    ++cell.shown;
    cell.clicked += clicks[k] != 0 ? 1 : 0;
  });
}

nlohmann::ordered_json cells_to_json(const BrowsingTable& table, const BrowsingTable* before) {
  auto cells = nlohmann::ordered_json::array();
  for (Item e = 0; e < table.items(); ++e) {
    const auto row = table.row(e);
    const auto had = before != nullptr ? before->row(e) : std::span<const BrowsingCell>();
    for (std::size_t b = 0; b < row.size(); ++b) {
      const BrowsingCell less = had.empty() ? BrowsingCell{} : had[b];
      if (row[b].shown == less.shown) continue;
      cells.push_back({e, b, row[b].shown - less.shown, row[b].clicked - less.clicked});
    }
  }
  return cells;
}

void add_cells(const nlohmann::ordered_json& state, const char* name, BrowsingTable& table) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
  const auto& cells = fields::array(state, name);
  for (const auto& cell : cells) {
    std::array<std::uint64_t, 4> n{};
    bool whole = cell.is_array() && cell.size() == n.size();
    for (std::size_t i = 0; whole && i < n.size(); ++i) {
      whole = cell[i].is_number_unsigned();
      if (whole) n[i] = cell[i].get<std::uint64_t>();
    }
    if (!whole || n[0] >= table.items() || n[1] >= table.contexts() || n[2] == 0 || n[2] > kMost ||
        n[3] > n[2]) {
      throw InputError(
          fmt::format("\"{}\" has {}, not [item, context, shown, clicked]", name, cell.dump()));
    }
    BrowsingCell& to = table.make_row(static_cast<Item>(n[0]))[n[1]];
    to.shown += n[2];
    to.clicked += n[3];
  }
}

void fit(const BrowsingTable& table, double most_examined, BrowsingFit& fit) {
  fit.examination.assign(table.contexts(), 1);
  fit.attraction.assign(table.items(), 0);
  for (int n = 0; n < kSweeps; ++n) {
    sweep(table, most_examined, fit.examination, fit.attraction, fit.sums);
    if (n >= kSweepsFirst) rescale(table, most_examined, fit);
  }
  fit.average = overall_rate(table, fit.examination);
  fit.known.assign(table.items(), {});
  for (Item e = 0; e < table.items(); ++e) {
    const auto row = table.row(e);
    if (!row.empty()) fit.known[e] = known_of(row, fit.examination, fit.attraction[e]);
  }
  find_doubt(table, std::numeric_limits<double>::infinity(), fit);
}

}  // namespace dcmrank
