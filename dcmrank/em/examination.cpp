#include "dcmrank/em/examination.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "dcmrank/em/em.h"
#include "dcmrank/em/identification.h"
#include "dcmrank/em/information.h"
#include "dcmrank/fit/fit_attraction.h"

namespace dcmrank {
namespace {

// What is expected of an item in a context: where it was skipped, it was examined with probability
// x (1 - w) / (1 - w x).
double expect_examination(const Counts& c, double w, double x, Counts& item, Counts& context) {
  const double skips = c.observed - c.attracted;
  const double examined = c.attracted + skips * x * (1 - w) / (1 - w * x);
  item.merge({examined, c.attracted});
  context.merge({c.observed, examined});
  return weighted_log(c.attracted, w * x) + weighted_log(skips, 1 - w * x);
}

InformationPiece piece_of(const Counts& c, double w, double x, std::size_t item,
                          std::size_t context) {
  const double skips = (c.observed - c.attracted) / ((1 - w * x) * (1 - w * x));
  return {item, context, c.attracted / (w * w) + skips * x * x,
          c.attracted / (x * x) + skips * w * w, skips};
}

// Of users who may click item i in context b, from the slopes of the chance of it: a click and a
// skip at once.
void visit_click(const Counts& c, const EmView& view, std::uint32_t i, std::uint32_t b,
                 const OutcomeVisitor& visit) {
  const double click = view.own[i] * view.shared[b];
  const std::array<Slope, 1> own{{{i, view.shared[b]}}};
  const std::array<Slope, 1> shared{{{b, view.own[i]}}};
  visit(c.observed / (click * (1 - click)), own, shared);
}

std::vector<double> start_of(const Sample& sample, const FitOptions& options, std::size_t entries) {
  const Prior inside{options.prior.successes + 0.5, options.prior.failures + 0.5};
  std::vector<double> start;
  for (const SampleItem& item : sample.items) {
    start.push_back(estimate({item.counts.impressions, item.counts.prefix.attracted}, inside));
  }
  start.resize(sample.items.size() + entries, 0.5);
  return start;
}

// The entry that is certainly examined: attractions are known only by comparison with it.
void refer_to(std::size_t entry, std::size_t items, EmModel& model) {
  std::fill(model.fixed.begin(), model.fixed.end(), std::uint8_t{0});
  std::fill(model.start.begin() + static_cast<std::ptrdiff_t>(items), model.start.end(), 0.5);
  model.fixed[entry] = 1;
  model.start[items + entry] = 1;
}

// The entry at its bound, 1, that was seen most, as far as it might be examined more than the
// reference; none if there is no other.
std::optional<std::size_t> at_bound(const EmResult& result, std::size_t items,
                                    const EmModel& model) {
  constexpr double kBound = .99;  // the prior keeps it from 1
  std::optional<std::size_t> most;
  for (std::size_t b = 0; b < model.fixed.size(); ++b) {
    if (model.fixed[b] != 0 || result.parameters[items + b] < kBound) continue;
    const auto looks = [&](std::size_t n) { return result.expected[items + n].observed; };
    if (!most || looks(b) > looks(*most)) most = b;
  }
  return most;
}

struct ReferredFit {
  EmResult result;
  std::size_t reference = 0;
};

// The top of the page is the reference, unless the log says clearly that another place is examined
// more: that one then.
ReferredFit fit_referred(const Sample& sample, const FitOptions& options, EmModel& model) {
  constexpr double kClearly = 5;  // nats
  const std::size_t items = sample.items.size();
  refer_to(0, items, model);
  ReferredFit best{run_em(sample, model, options), 0};
  for (int tries = 0; tries < 3; ++tries) {
    const auto other = at_bound(best.result, items, model);
    if (!other) break;
    refer_to(*other, items, model);
    EmResult result = run_em(sample, model, options);
    if (result.trace.objective.back() < best.result.trace.objective.back() + kClearly) break;
    best = {std::move(result), *other};
  }
  refer_to(best.reference, items, model);
  return best;
}

using IndexOf = std::size_t (*)(const ContextCounts& context);

// Whether the examination of each entry can be told from attractions. The reference is known; an
// item that is clicked at times and shown in two contexts tells how one compares to the other.
std::vector<std::uint8_t> linked_entries(const Sample& sample, std::size_t entries,
                                         std::size_t reference, IndexOf index_of) {
  std::vector<std::uint8_t> linked(entries, 0);
  linked[reference] = 1;
  for (bool more = true; more;) {
    more = false;
    for (const SampleItem& item : sample.items) {
      const auto is_linked = [&](const ContextCounts& context) {
        return linked[index_of(context)] != 0;
      };
      const auto& contexts = item.contexts;
      if (item.counts.prefix.attracted == 0 ||
          std::none_of(contexts.begin(), contexts.end(), is_linked)) {
        continue;
      }
      for (const ContextCounts& context : contexts) {
        more = more || !is_linked(context);
        linked[index_of(context)] = 1;
      }
    }
  }
  return linked;
}

void mark_unlinked(const Sample& sample, std::size_t reference, IndexOf index_of,
                   FittedModel& fitted) {
  FittedList& list = fitted.lists[kExamination];
  const auto linked = linked_entries(sample, list.values.size(), reference, index_of);
  for (std::size_t b = 0; b < linked.size(); ++b) {
    if (linked[b] == 0) list.unidentified.push_back(b + 1);
  }
  for (std::size_t q = 0; q < fitted.queries.size(); ++q) {
    for (std::size_t i = sample.queries[q].begin; i < sample.queries[q].end; ++i) {
      const auto& contexts = sample.items[i].contexts;
      if (std::any_of(contexts.begin(), contexts.end(), [&](const ContextCounts& context) {
            return linked[index_of(context)] != 0;
          })) {
        continue;
      }
      fitted.queries[q].items[i - sample.queries[q].begin].unidentified = {"attraction"};
    }
  }
}

}  // namespace

FittedModel fit_examination(const Sample& sample, const FitOptions& options, std::size_t entries,
                            std::size_t (*index_of)(const ContextCounts& context)) {
  EmModel model;
  for (const SampleQuery& query : sample.queries) model.own.push_back(query.end - query.begin);
  model.start = start_of(sample, options, entries);
  model.fixed.assign(entries, 0);
  model.of_counts = [&](std::size_t q, const EmView& view) {
    double sum = 0;
    const std::size_t begin = sample.queries[q].begin;
    for (std::size_t i = 0; i < view.own.size(); ++i) {
      for (const ContextCounts& context : sample.items[begin + i].contexts) {
        const std::size_t b = index_of(context);
        sum += expect_examination(context.counts, view.own[i], view.shared[b], view.own_counts[i],
                                  view.shared_counts[b]);
      }
    }
    return sum;
  };
  model.pieces = [&](std::size_t q, const EmView& view, const PieceVisitor& visit) {
    const std::size_t begin = sample.queries[q].begin;
    for (std::size_t i = 0; i < view.own.size(); ++i) {
      for (const ContextCounts& context : sample.items[begin + i].contexts) {
        const std::size_t b = index_of(context);
        visit(piece_of(context.counts, view.own[i], view.shared[b], i, b));
      }
    }
  };
  model.outcomes = [&](std::size_t q, const EmView& view, const OutcomeVisitor& visit) {
    const std::size_t begin = sample.queries[q].begin;
    for (std::uint32_t i = 0; i < view.own.size(); ++i) {
      for (const ContextCounts& context : sample.items[begin + i].contexts) {
        visit_click(context.counts, view, i, static_cast<std::uint32_t>(index_of(context)), visit);
      }
    }
  };
  auto [result, reference] = fit_referred(sample, options, model);
  FittedModel fitted = fit_attraction(sample, options.prior, [](const ItemCounts& counts) {
    return Counts{counts.impressions, counts.prefix.attracted};
  });
  for (std::size_t q = 0; q < fitted.queries.size(); ++q) {
    store_attraction(result, sample.queries[q].begin, fitted.queries[q].items);
  }
  fitted.lists[kExamination].values.assign(
      result.parameters.end() - static_cast<std::ptrdiff_t>(entries), result.parameters.end());
  mark_unlinked(sample, reference, index_of, fitted);
  const auto told = mark_unidentified(sample, model, result, options, {{}, kExamination}, fitted);
  add_intervals(sample, model, result, options, fitted, told);
  fitted.em = std::move(result.trace);
  return fitted;
}

}  // namespace dcmrank
