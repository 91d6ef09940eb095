// F. Guo, C. Liu, A. Kannan, T. Minka, M. Taylor, Y. M. Wang, C. Faloutsos: Click chain model in
// web search. WWW 2009.
#include <utility>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/em/chain.h"
#include "dcmrank/em/identification.h"
#include "dcmrank/em/information.h"
#include "dcmrank/fit/fit_attraction.h"

namespace dcmrank {
namespace {

constexpr const char* kAlpha = "alpha";

// Chances of going on: alpha_1 after a skip; after a click alpha_3 of who is satisfied, which the
// item's attraction is the chance of, and alpha_2 of who is not.
double after_click(std::span<const double> alpha, double w) {
  return alpha[1] * (1 - w) + alpha[2] * w;
}

void ccm_full(const PageParameters& page, std::span<double> p) {
  const auto& alpha = page.lists[0];
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double w = page.attraction[k];
    p[k] = w * examined;
    examined *= (1 - w) * alpha[0] + w * after_click(alpha, w);
  }
}

void ccm_conditional(const PageParameters& page, Clicks clicks, std::span<double> p) {
  const auto& alpha = page.lists[0];
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double w = page.attraction[k];
    p[k] = w * examined;
    if (clicks[k] != 0) {
      examined = after_click(alpha, w);
    } else {
      examined = p[k] < 1 ? alpha[0] * examined * (1 - w) / (1 - p[k]) : 0;
    }
  }
}

// Who clicks is satisfied with the item's attraction as the chance, at any of the clicks.
double ccm_satisfaction(const PageParameters& page) {
  const auto& alpha = page.lists[0];
  double examined = 1;  // and not satisfied yet
  double satisfied = 0;
  for (const double w : page.attraction) {
    satisfied += examined * w * w;
    examined *= (1 - w) * alpha[0] + w * (1 - w) * alpha[1];
  }
  return satisfied;
}

// Whether a click satisfied is one more trial of the item's attraction.
class CcmExpectation {
 public:
  explicit CcmExpectation(const Sample& sample) : sample_(&sample), counts_(chain_counts(sample)) {}

  double of_counts(std::size_t q, const EmView& view) const {
    const SampleQuery& query = sample_->queries[q];
    double skips = counts_.passed[q];  // above a last click
    double sum = 0;
    for (std::size_t i = query.begin; i < query.end; ++i) {
      const std::size_t n = i - query.begin;
      sum += expect_trials(counts_.examined[i], view.own[n], view.own_counts[n]);
      sum += went_on(counts_.went_on[i], view, n);
      skips -= counts_.went_on[i];
    }
    return sum + expect_trials({skips, skips}, view.shared[0], view.shared_counts[0]);
  }

  double of_tail(const Tail& tail, const EmView& view) const {
    const std::size_t begin = sample_->queries[tail.query].begin;
    const SkippedChain chain(tail, begin, view.own, view.shared[0]);
    const double none = chain.nothing();
    if (tail.last == Tail::kNone) {
      chain.expect(tail.impressions, view.own_counts, view.shared_counts[0]);
      return weighted_log(tail.impressions, none);
    }
    const std::size_t n = tail.clicked - begin;
    const double w = view.own[n];
    const double on = after_click(view.shared, w);
    const double seen = (1 - on) + on * none;
    const double each = tail.impressions / seen;
    const double satisfied = stopped(w, none, each, view, 2);
    stopped(1 - w, none, each, view, 1);
    view.own_counts[n].merge({tail.impressions, satisfied});
    chain.expect(each * on * none, view.own_counts, view.shared_counts[0]);
    return weighted_log(tail.impressions, seen);
  }

  void outcomes(std::size_t q, const EmView& view, const OutcomeVisitor& visit) const {
    const std::size_t begin = sample_->queries[q].begin;
    const auto alpha = view.shared;
    sample_->tails.of_query(q, [&](const Tail& tail) {
      ChainStart start;
      if (tail.last != Tail::kNone) {
        const auto n = static_cast<std::uint32_t>(tail.clicked - begin);
        const double w = view.own[n];
        const double on = after_click(alpha, w);
        start = {on, {{n, (alpha[2] - alpha[1]) / on}}, {{0, 0}, {1, (1 - w) / on}, {2, w / on}}};
      }
      visit_outcomes(tail, begin, view.own, alpha[0], start, visit);
    });
  }

  void touched(const Tail& tail, std::vector<std::uint32_t>& own) const {
    const std::size_t begin = sample_->queries[tail.query].begin;
    for (const std::uint32_t i : tail.items) own.push_back(static_cast<std::uint32_t>(i - begin));
    if (tail.last != Tail::kNone) own.push_back(static_cast<std::uint32_t>(tail.clicked - begin));
  }

  const ChainCounts& counts() const { return counts_; }

  // Without the trials of satisfaction.
  void store(const EmResult& result, FittedModel& fitted) const {
    for (std::size_t q = 0; q < fitted.queries.size(); ++q) {
      const std::size_t begin = sample_->queries[q].begin;
      auto& items = fitted.queries[q].items;
      store_attraction(result, begin, items);
      for (std::size_t i = 0; i < items.size(); ++i) {
        items[i].shown -= counts_.went_on[begin + i] + counts_.may_have[begin + i];
      }
    }
  }

 private:
  // `clicks` on item n after which the user went on.
  static double went_on(double clicks, const EmView& view, std::size_t n) {
    if (clicks == 0) return 0;
    const double w = view.own[n];
    const double on = after_click(view.shared, w);
    // The part first: with other rounding there could be more than all.
    const double satisfied = on > 0 ? clicks * (w * view.shared[2] / on) : 0;
    view.own_counts[n].merge({clicks, satisfied});
    view.shared_counts[1].merge({clicks - satisfied, clicks - satisfied});
    view.shared_counts[2].merge({satisfied, satisfied});
    return weighted_log(clicks, on);
  }

  // Users who were (or were not) satisfied, by chance `p`, and clicked nothing below: how many.
  static double stopped(double p, double none, double each, const EmView& view, std::size_t a) {
    const double on = view.shared[a];
    const double users = each * p * ((1 - on) + on * none);
    view.shared_counts[a].merge({users, each * p * on * none});
    return users;
  }

  const Sample* sample_;
  ChainCounts counts_;
};

// What was never tried. After clicks on a single item, only the mean of alpha_2 and alpha_3 that
// its attraction weighs is seen.
std::vector<std::size_t> unidentified_alphas(const EmResult& result, const ChainCounts& counts) {
  std::size_t items = 0;
  for (std::size_t i = 0; i < counts.went_on.size(); ++i) {
    items += counts.went_on[i] + counts.may_have[i] > 0 ? 1 : 0;
  }
  std::vector<std::size_t> entries;
  if (!((result.expected.end() - 3)->observed > 0)) entries.push_back(1);
  if (items < 2) entries.insert(entries.end(), {2, 3});
  return entries;
}

FittedModel fit_ccm(const Sample& sample, const FitOptions& options) {
  FittedModel fitted =
      fit_attraction(sample, options.prior, [](const ItemCounts& counts) { return counts.prefix; });
  EmModel model;
  for (const FittedQuery& query : fitted.queries) {
    for (const FittedItem& item : query.items) {
      model.start.push_back(estimate({item.shown, item.clicked}, {0.5, 0.5}));
    }
    model.own.push_back(query.items.size());
  }
  model.fixed.assign(3, 0);
  model.start.insert(model.start.end(), {0.9, 0.8, 0.5});
  const auto expectation = std::make_shared<const CcmExpectation>(sample);
  expect_by(expectation, model);
  model.outcomes = outcomes_by(expectation);
  EmResult result = run_em(sample, model, options);
  expectation->store(result, fitted);
  fitted.lists[kAlpha].values.assign(result.parameters.end() - 3, result.parameters.end());
  fitted.lists[kAlpha].unidentified = unidentified_alphas(result, expectation->counts());
  const auto told = mark_unidentified(sample, model, result, options, {{}, kAlpha}, fitted);
  add_intervals(sample, model, result, options, fitted, told);
  fitted.em = std::move(result.trace);
  return fitted;
}

}  // namespace

const ClickModel kCcmModel{
    .name = "ccm",
    .summary = "click chain model: attraction per item, three chances of continuing",
    .lists = {{.name = kAlpha,
               .shape = ListShape::kNumbers,
               .numbers = 3,
               .unidentified = "unidentified"}},
    .full = ccm_full,
    .conditional = ccm_conditional,
    .methods = {Method::kEm},
    .fit = fit_ccm,
    .needs = needs_chains,
    .satisfaction = ccm_satisfaction,
    .rewards_clicks = true,
};

}  // namespace dcmrank
