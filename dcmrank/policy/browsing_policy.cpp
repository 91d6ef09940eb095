#include "dcmrank/policy/browsing_policy.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/numeric/cholesky.h"
#include "dcmrank/numeric/elementary.h"

namespace dcmrank {
namespace {

// Of many items, the doubt about examination is drawn for so many times K of the best draws.
constexpr std::size_t kCandidates = 3;

}  // namespace

BrowsingPolicy::BrowsingPolicy(const Shape& shape, PositionOrder order)
    : order_(std::move(order)),
      table_(shape.items, shape.positions),
      fitted_(shape.items, shape.positions),
      scales_(shape.positions - 1),
      scored_(shape.items),
      overdue_(shape.positions - 1) {
  const std::size_t candidates = kCandidates * shape.positions;
  if (ThompsonSelection::is_for(shape.items, candidates)) {
    many_.emplace(shape.items, candidates, false);
    best_.resize(candidates);
  }
  next_fit_ = pages_to_next_fit();
}

// Without pages a fit says the same whenever it is made.
void BrowsingPolicy::begin() {
  if (fit_.known.empty()) fit_anew();
}

// x of every position below the first: R^T x = z (browsing_fit.h).
void BrowsingPolicy::draw_scales(std::uint64_t key) {
  draw_normals(key, scales_);
  solve_transposed(fit_.root, scales_);
}

double BrowsingPolicy::scaled(double draw, Item e) const {
  const std::size_t n = scales_.size();
  return doubted(draw, scales_, std::span(fit_.share).subspan(e * n, n));
}

void BrowsingPolicy::draw_all(std::uint64_t key) {
  scored_.resize(table_.items());
  draws_(fit_.known, key, scored_);
  for (Scored& s : scored_) s.score = scaled(s.score, s.item);
}

void BrowsingPolicy::draw_best(std::uint64_t key) {
  many_->select(key, sharp_, best_);
  const auto drawn = many_->selected();
  scored_.assign(drawn.begin(), drawn.end());
  for (Scored& s : scored_) s.score = scaled(s.score, s.item);
}

void BrowsingPolicy::draw(std::uint64_t key, bool asks) {
  begin();
  draw_scales(scale_key(key));
  if (asks) overdue_.ask(fit_, order_, pages_, subkey(key, kOverdueKey), scales_);
  if (is_many()) {
    draw_best(item_key(key));
  } else {
    draw_all(item_key(key));
  }
  select_best(scored_, order_.size(), Better(TieBreak(key)));
}

void BrowsingPolicy::rank(Rng& rng, Ranking& ranking) {
  draw(rng(), true);
  place_ranked(scored_, order_, ranking.items);
  ranking.initial = false;
}

void BrowsingPolicy::rank_unasked(Rng& rng, Ranking& ranking) {
  draw(rng(), false);
  place_ranked(scored_, order_, ranking.items);
  ranking.initial = false;
}

void BrowsingPolicy::rank_compared(Rng& rng, Ranking& ranking) {
  if (is_many()) return rank(rng, ranking);
  const std::uint64_t key = rng();
  draw(key, true);
  compared_.place(std::span(scored_).first(order_.size()), fit_, order_, TieBreak(key),
                  CounterRng(subkey(key, kMoveKey)).inside(), ranking.items);
  ranking.initial = false;
}

void BrowsingPolicy::update(const Ranking& shown, Clicks clicks) {
  begin();
  if (is_many()) many_->settle(sharp_);
  table_.add(shown.items, clicks);
  for_contexts(clicks, table_.positions(), [&](std::size_t k, std::size_t context) {
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
  const KnownItem& known = fit_.known[e];
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
  fit(table_, most_examined(order_), fit_);
  fitted_ = table_;
  next_fit_ = pages_ + pages_to_next_fit();
  count_sharply();
}

double BrowsingPolicy::foretell(std::span<const Item> list, Clicks clicks) const {
  double probability = 1;
  const bool fitted = !fit_.known.empty();
  for_contexts(clicks, table_.positions(), [&](std::size_t k, std::size_t context) {
    const KnownItem known = fitted ? fit_.known[list[k]] : KnownItem{};
    const double w = foretold_attraction({known.observed, known.attracted}, fit_.average);
    const double click = std::min(.999, w * (fitted ? fit_.examination[context] : 1));
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
    const auto numbers = fields::numbers(entry, "known", fields::kCount, 3);
    if (!(numbers[0] < static_cast<double>(table_.items()))) {
      throw InputError("\"known\" names an item that is not there");
    }
    KnownItem& known = fit_.known[static_cast<Item>(numbers[0])];
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
