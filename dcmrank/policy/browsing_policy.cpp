#include "dcmrank/policy/browsing_policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/numeric/cholesky.h"
#include "dcmrank/numeric/elementary.h"
#include "dcmrank/policy/chain_witness.h"

namespace dcmrank {
namespace {

// What was observed of an item counts so many times in the draws: hardly more than once while that
// is little, 1.25 times at last. Fewer explorers, measured over worlds of all kinds
// (docs/policies.md). No posterior any more: at 1.5, or at 1.25 from the first look on, some runs
// never came back to a good item that was unlucky at first.
double sharpness(double observed) {
  constexpr double kMore = .25;
  constexpr double kHalfway = 100;  // looks
  return 1 + kMore * observed / (observed + kHalfway);
}

// Of many items, the doubt about examination is drawn for so many times K of the best draws.
constexpr std::size_t kCandidates = 3;

constexpr std::uint64_t kScaleKey = 1;
constexpr std::uint64_t kItemKey = 2;
constexpr std::uint64_t kAgainKey = 3;

// The polar method of Marsaglia, the same bits on every machine.
double sample_normal(CounterRng& rng) {
  for (;;) {
    const double a = 2 * rng.inside() - 1;
    const double b = 2 * rng.inside() - 1;
    const double s = a * a + b * b;
    if (s < 1 && s > 0) return a * std::sqrt(-2 * same_log(s) / s);
  }
}

// A draw of an attraction is at most 1: others are drawn again, a few times.
double drawn_again(double a, double b, double examination, std::uint64_t key) {
  CounterRng rng(subkey(key, kAgainKey));
  for (int n = 0; n < 20; ++n) {
    const double value = sample_beta(a, b, rng) / examination;
    if (value <= 1) return value;
  }
  return 1;
}

}  // namespace

BrowsingPolicy::BrowsingPolicy(const Shape& shape, PositionOrder order)
    : order_(std::move(order)),
      table_(shape.items, shape.positions),
      fitted_(shape.items, shape.positions),
      scales_(shape.positions - 1),
      scored_(shape.items) {
  const std::size_t candidates = kCandidates * shape.positions;
  if (ThompsonSelection::is_for(shape.items, candidates)) {
    many_.emplace(shape.items, candidates, false);
    best_.resize(candidates);
  }
  fit_anew();
}

// x of every position below the first: R^T x = z (browsing_table.h).
void BrowsingPolicy::draw_scales(std::uint64_t key) {
  CounterRng rng(key);
  for (double& z : scales_) z = sample_normal(rng);
  solve_transposed(fit_.root, scales_);
}

double BrowsingPolicy::scaled(double draw, Item e) const {
  const std::size_t n = scales_.size();
  double x = 0;
  for (std::size_t k = 0; k < n; ++k) x += scales_[k] * fit_.share[e * n + k];
  return draw * same_exp(-x);
}

void BrowsingPolicy::draw_all(std::uint64_t key) {
  scored_.resize(table_.items());
  for (std::size_t first = 0; first < scored_.size(); first += BetaBatch::kRoom) {
    batch_.size = std::min(scored_.size() - first, BetaBatch::kRoom);
    for (std::size_t i = 0; i < batch_.size; ++i) {
      const BrowsingFit::Known& known = fit_.known[first + i];
      const double skipped = known.observed / known.examination - known.attracted;
      const double times = sharpness(known.observed);
      batch_.a[i] = times * known.attracted + 1;
      batch_.b[i] = times * std::max(0.0, skipped) + 1;
      batch_.key[i] = subkey(key, first + i);
    }
    sample_betas(batch_);
    for (std::size_t i = 0; i < batch_.size; ++i) {
      const auto e = static_cast<Item>(first + i);
      const double examination = fit_.known[e].examination;
      double value = batch_.draw[i] / examination;
      if (value > 1) value = drawn_again(batch_.a[i], batch_.b[i], examination, batch_.key[i]);
      scored_[e] = {scaled(value, e), e};
    }
  }
}

void BrowsingPolicy::draw_best(std::uint64_t key) {
  many_->select(key, sharp_, best_);
  const auto drawn = many_->selected();
  scored_.assign(drawn.begin(), drawn.end());
  for (Scored& s : scored_) s.score = scaled(s.score, s.item);
}

void BrowsingPolicy::rank(Rng& rng, Ranking& ranking) {
  const std::uint64_t key = rng();
  draw_scales(subkey(key, kScaleKey));
  if (is_many()) {
    draw_best(subkey(key, kItemKey));
  } else {
    draw_all(subkey(key, kItemKey));
  }
  place(scored_, order_, TieBreak(key), ranking.items);
  ranking.initial = false;
}

void BrowsingPolicy::update(const Ranking& shown, Clicks clicks) {
  if (is_many()) many_->settle(sharp_);
  table_.add(shown.items, clicks);
  for_contexts(clicks, [&](std::size_t k, std::size_t context) {
    const Item e = shown.items[k];
    fit_.known[e].observed += fit_.examination[context];
    fit_.known[e].attracted += clicks[k] != 0 ? 1 : 0;
    if (!is_many()) return;
    sharp_[e] = sharp(e);
    many_->changed(e, sharp_[e]);
  });
  if (++pages_ >= next_fit_) fit_anew();
}

// The Beta distribution of an item where draws are not divided by its average examination.
Counts BrowsingPolicy::sharp(Item e) const {
  const BrowsingFit::Known& known = fit_.known[e];
  const double observed = std::max(known.observed, known.attracted);
  const double times = sharpness(observed);
  return {times * observed, times * known.attracted};
}

void BrowsingPolicy::count_sharply() {
  if (!is_many()) return;
  sharp_.resize(table_.items());
  for (Item e = 0; e < sharp_.size(); ++e) sharp_[e] = sharp(e);
  many_->start_over();
}

// Rarer as pages grow many, and as a fit becomes long.
std::uint64_t BrowsingPolicy::pages_to_next_fit() const {
  constexpr std::uint64_t kCellsPerPage = 200;
  return std::max({std::uint64_t{10}, pages_ / 40,
                   static_cast<std::uint64_t>(table_.seen() * table_.contexts()) / kCellsPerPage});
}

void BrowsingPolicy::fit_anew() {
  // Who says that the first position is not the best may mean that it is not examined most.
  constexpr double kMoreThanTheFirst = 20;
  fit(table_, order_.front() == 0 ? 1 : kMoreThanTheFirst, fit_);
  fitted_ = table_;
  next_fit_ = pages_ + pages_to_next_fit();
  count_sharply();
}

double BrowsingPolicy::foretell(std::span<const Item> list, Clicks clicks) const {
  double probability = 1;
  for_contexts(clicks, [&](std::size_t k, std::size_t context) {
    const BrowsingFit::Known& known = fit_.known[list[k]];
    const double w = foretold_attraction({known.observed, known.attracted}, fit_.average);
    const double click = std::min(.999, w * fit_.examination[context]);
    probability *= clicks[k] != 0 ? click : 1 - click;
  });
  return same_log(std::max(probability, 1e-300));
}

// What came since the last fit is kept apart, so that the fit can be made again: it depends on the
// table that it was made from.
nlohmann::ordered_json BrowsingPolicy::save() const {
  nlohmann::ordered_json state{{"pages", pages_},
                               {"next_fit", next_fit_},
                               {"cells", cells_to_json(fitted_)},
                               {"since", cells_to_json(table_, &fitted_)}};
  auto known = nlohmann::ordered_json::array();
  for (Item e = 0; e < table_.items(); ++e) {
    const auto now = table_.row(e);
    const auto then = fitted_.row(e);
    if (std::equal(now.begin(), now.end(), then.begin(), then.end())) continue;
    known.push_back({e, fit_.known[e].observed, fit_.known[e].attracted});
  }
  state["known"] = std::move(known);
  if (is_many()) {
    if (const auto settled = many_->settled()) state["threshold"] = *settled;
  }
  return state;
}

void BrowsingPolicy::load(const nlohmann::ordered_json& state) {
  pages_ = fields::whole_number(state, "pages", 0, UINT64_MAX);
  const std::uint64_t next = fields::whole_number(state, "next_fit", 0, UINT64_MAX);
  table_ = BrowsingTable(table_.items(), table_.positions());
  add_cells(state, "cells", table_);
  fit_anew();
  next_fit_ = next;
  add_cells(state, "since", table_);
  for (const auto& row : fields::array(state, "known")) {
    const nlohmann::ordered_json entry{{"known", row}};
    const auto numbers = fields::numbers(entry, "known", fields::kAtLeastZero, 3);
    if (!(numbers[0] < static_cast<double>(table_.items()))) {
      throw InputError("\"known\" names an item that is not there");
    }
    BrowsingFit::Known& known = fit_.known[static_cast<Item>(numbers[0])];
    known.observed = numbers[1];
    known.attracted = numbers[2];
  }
  count_sharply();
  if (is_many() && state.contains("threshold")) {
    const auto numbers = fields::numbers(state, "threshold", fields::kAtLeastZero, 3);
    many_->restore(std::array{numbers[0], numbers[1], numbers[2]});
  }
}

}  // namespace dcmrank
