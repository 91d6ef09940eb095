// M. Richardson, E. Dominowska, R. Ragno: Predicting clicks: estimating the click-through rate for
// new ads. WWW 2007; as EM in A. Chuklin, I. Markov, M. de Rijke: Click Models for Web Search.
// 2015.
#include <cmath>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/fit_attraction.h"

namespace dcmrank {
namespace {

constexpr const char* kExamination = "examination";

// Attracted and examined, independently.
void pbm_full(const PageParameters& page, std::span<double> p) {
  for (std::size_t k = 0; k < p.size(); ++k) p[k] = page.attraction[k] * page.lists[0][k];
}

void pbm_conditional(const PageParameters& page, Clicks /*clicks*/, std::span<double> p) {
  pbm_full(page, p);
}

struct Expected {
  std::vector<Counts> items;
  std::vector<Counts> positions;
  double likelihood = 0;
};

// What is expected of an item shown `c.observed` times at a position, `c.attracted` times clicked.
void expect(const Counts& c, double w, double x, Counts& item, Counts& position, double& sum) {
  const double click = w * x;
  const double skips = c.observed - c.attracted;
  item.merge({c.observed, c.attracted + skips * w * (1 - x) / (1 - click)});
  position.merge({c.observed, c.attracted + skips * x * (1 - w) / (1 - click)});
  if (c.attracted > 0) sum += c.attracted * std::log(click);
  if (skips > 0) sum += skips * std::log(1 - click);
}

Expected expect_all(const Sample& sample, const std::vector<double>& w,
                    const std::vector<double>& x) {
  Expected expected{std::vector<Counts>(w.size()), std::vector<Counts>(x.size()), 0};
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto& counts = sample.items[i].by_position;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      expect(counts[k], w[i], x[k], expected.items[i], expected.positions[k], expected.likelihood);
    }
  }
  return expected;
}

double log_prior(const std::vector<double>& values, const Prior& prior) {
  double sum = 0;
  for (const double p : values) {
    if (prior.successes > 0) sum += prior.successes * std::log(p);
    if (prior.failures > 0) sum += prior.failures * std::log(1 - p);
  }
  return sum;
}

void maximise(const std::vector<Counts>& counts, const Prior& prior, std::vector<double>& values) {
  // Below 1, where a skip would have no explanation left to share.
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = std::min(estimate(counts[n], prior), 1 - 1e-12);
  }
}

FittedModel fit_pbm(const Sample& sample, const FitOptions& options) {
  FittedModel fitted = fit_attraction(sample, options.prior, [](const ItemCounts& counts) {
    return Counts{counts.impressions, counts.prefix.attracted};
  });
  double impressions = 0;
  for (const FittedQuery& query : fitted.queries) impressions += query.impressions;
  std::vector<double> w(sample.items.size(), 0.5);
  std::vector<double> x(sample.positions, 0.5);
  EmTrace& trace = fitted.em;
  trace.tolerance = options.tolerance;
  while (!trace.converged && trace.objective.size() <= options.max_iterations) {
    if (options.stop.stop_requested()) throw Interrupted();
    const Expected expected = expect_all(sample, w, x);
    trace.log_likelihood.push_back(expected.likelihood);
    trace.objective.push_back(expected.likelihood + log_prior(w, options.prior) +
                              log_prior(x, options.prior));
    const std::size_t n = trace.objective.size();
    trace.converged =
        n > 1 && trace.objective[n - 1] - trace.objective[n - 2] <= options.tolerance * impressions;
    if (trace.converged) break;
    maximise(expected.items, options.prior, w);
    maximise(expected.positions, options.prior, x);
  }
  std::size_t i = 0;
  for (FittedQuery& query : fitted.queries) {
    for (FittedItem& item : query.items) item.attraction = w[i++];
  }
  fitted.lists[kExamination].values = x;
  return fitted;
}

}  // namespace

const ClickModel kPbmModel{
    .name = "pbm",
    .summary = "position-based model: attraction per item, examination per position",
    .lists = {{.name = kExamination, .ranks_positions = true}},
    .full = pbm_full,
    .conditional = pbm_conditional,
    .methods = {Method::kEm},
    .fit = fit_pbm,
    .needs =
        [](const FitOptions&) {
          Needs needs;
          needs.positions = true;
          return needs;
        },
    .best_by_attraction = true,
};

}  // namespace dcmrank
