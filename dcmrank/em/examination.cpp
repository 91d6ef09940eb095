#include "dcmrank/em/examination.h"

#include <algorithm>
#include <utility>

#include "dcmrank/em/em.h"
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

std::vector<double> start_of(const Sample& sample, const FitOptions& options, std::size_t entries) {
  const Prior inside{options.prior.successes + 0.5, options.prior.failures + 0.5};
  std::vector<double> start;
  for (const SampleItem& item : sample.items) {
    start.push_back(estimate({item.counts.impressions, item.counts.prefix.attracted}, inside));
  }
  start.push_back(1);
  start.resize(sample.items.size() + entries, 0.5);
  return start;
}

using IndexOf = std::size_t (*)(const ContextCounts& context);

// Whether the examination of each entry can be told from attractions. The first one is known; an
// item that is clicked at times and shown in two contexts tells how one compares to the other.
std::vector<std::uint8_t> linked_entries(const Sample& sample, std::size_t entries,
                                         IndexOf index_of) {
  std::vector<std::uint8_t> linked(entries, 0);
  linked[0] = 1;
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

void mark_unidentified(const Sample& sample, IndexOf index_of, FittedModel& fitted) {
  FittedList& list = fitted.lists[kExamination];
  const auto linked = linked_entries(sample, list.values.size(), index_of);
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
  model.fixed[0] = 1;
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
  EmResult result = run_em(sample, model, options);
  FittedModel fitted = fit_attraction(sample, options.prior, [](const ItemCounts& counts) {
    return Counts{counts.impressions, counts.prefix.attracted};
  });
  for (std::size_t q = 0; q < fitted.queries.size(); ++q) {
    store_attraction(result, sample.queries[q].begin, fitted.queries[q].items);
  }
  fitted.lists[kExamination].values.assign(
      result.parameters.end() - static_cast<std::ptrdiff_t>(entries), result.parameters.end());
  mark_unidentified(sample, index_of, fitted);
  add_intervals(sample, model, result, options, fitted);
  fitted.em = std::move(result.trace);
  return fitted;
}

}  // namespace dcmrank
