#include "dcmrank/browsing/compared_list.h"

#include <algorithm>
#include <functional>

#include "dcmrank/browsing/table.h"

namespace dcmrank {
namespace {

double thought_of(const BrowsingFit& fit, Item e) {
  const KnownItem& known = fit.known[e];
  return std::min(1.0, foretold_attraction({known.observed, known.attracted}, fit.average));
}

}  // namespace

ListWorth ListForecast::worth(std::span<const double> attractions,
                              std::span<const double> examination, const PositionOrder& order) {
  const std::size_t n = order.size();
  attraction_.resize(n);
  looked_.assign(n, 0);
  last_.assign(n + 1, 0);
  last_[n] = 1;
  for (std::size_t i = 0; i < n; ++i) attraction_[order[i]] = attractions[i];
  double all = 0;
  for (std::size_t k = 0; k < n; ++k) {
    double clicked = 0;
    const auto look = [&](std::size_t last, std::size_t ago) {
      const double g = examination[context_of(k, ago)];
      const double clicks_here = last_[last] * std::min(1.0, g * attraction_[k]);
      looked_[k] += last_[last] * g;
      clicked += clicks_here;
      last_[last] -= clicks_here;
    };
    for (std::size_t j = 0; j < k; ++j) look(j, k - j);
    look(n, 0);
    last_[k] = clicked;
    all += clicked;
  }
  return {all, 1 - last_[n]};
}

void ComparedList::find_leaders(const BrowsingFit& fit, std::size_t count, const Better& better) {
  thought_.clear();
  for (Item e = 0; e < fit.known.size(); ++e) thought_.push_back({thought_of(fit, e), e});
  select_best(thought_, count, better);
}

bool ComparedList::leads(Item e, std::size_t count) const {
  const auto leaders = std::span(thought_).first(count);
  return std::any_of(leaders.begin(), leaders.end(),
                     [&](const Scored& leader) { return leader.item == e; });
}

void ComparedList::rank_chosen_leaders(std::span<const Scored> drawn) {
  const std::span<const Scored> leaders = std::span(thought_).first(drawn.size());
  displaced_.assign(leaders.begin(), leaders.end());
  ranked_.clear();
  for (const Scored& s : drawn) {
    const auto at = std::find_if(displaced_.begin(), displaced_.end(),
                                 [&](const Scored& l) { return l.item == s.item; });
    if (at == displaced_.end()) continue;
    ranked_.push_back(*at);
    displaced_.erase(at);
  }
}

Look ComparedList::look_at_rank(Scored item, std::size_t rank, const BrowsingFit& fit,
                                const PositionOrder& order) {
  means_.clear();
  for (const Scored& s : ranked_) means_.push_back(s.score);
  std::sort(means_.begin(), means_.end(), std::greater<>());
  means_.insert(means_.begin() + static_cast<std::ptrdiff_t>(rank), item.score);
  const ListWorth with = worth(fit, order);
  const double loss = std::max(best_.clicks - with.clicks, best_.any - with.any);
  return {loss, std::max(1e-9, forecast_.looked(order[rank]))};
}

void ComparedList::rank_explorer(Scored explorer, std::size_t own, double draw,
                                 const BrowsingFit& fit, const PositionOrder& order) {
  const Scored leader = displaced_.front();
  const auto observed = [&](const Scored& s) { return fit.known[s.item].observed; };
  const Scored less_known = observed(leader) < observed(explorer) ? leader : explorer;
  const double doubt =
      doubt_between({explorer.score, observed(explorer)}, {leader.score, observed(leader)});
  const double here = look_at_rank(explorer, own, fit, order).seen;
  constexpr double kLeastPrice = .1;  // of the doubt: a forecast is not that good
  constexpr double kFaster = 2;
  constexpr double kTimes = 16;
  Look cheapest{1, 1e-9};
  std::size_t rank = own;
  for (std::size_t r = 0; r <= ranked_.size(); ++r) {
    Look look = look_at_rank(less_known, r, fit, order);
    look.loss = std::max(look.loss, kLeastPrice * doubt * look.seen);
    if (look.price() >= cheapest.price()) continue;
    cheapest = look;
    rank = r;
  }
  const bool goes = cheapest.seen > kFaster * here && moves(cheapest, here, doubt, draw, kTimes);
  ranked_.insert(ranked_.begin() + static_cast<std::ptrdiff_t>(goes ? rank : own),
                 goes ? less_known : explorer);
}

void ComparedList::place(std::span<const Scored> drawn, const BrowsingFit& fit,
                         const PositionOrder& order, TieBreak ties, double draw,
                         std::vector<Item>& list) {
  find_leaders(fit, drawn.size(), Better(ties));
  rank_chosen_leaders(drawn);
  if (displaced_.size() != 1) return place_ranked(drawn, order, list);
  means_.clear();
  for (std::size_t n = 0; n < drawn.size(); ++n) means_.push_back(thought_[n].score);
  best_ = worth(fit, order);
  const auto explorer = std::find_if(drawn.begin(), drawn.end(),
                                     [&](const Scored& s) { return !leads(s.item, drawn.size()); });
  const auto own = static_cast<std::size_t>(explorer - drawn.begin());
  rank_explorer({thought_of(fit, explorer->item), explorer->item}, own, draw, fit, order);
  place_ranked(ranked_, order, list);
}

}  // namespace dcmrank
