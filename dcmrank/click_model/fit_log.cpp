#include "dcmrank/click_model/fit_log.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/fit/statistics.h"

namespace dcmrank {
namespace {

// As many items as are fitted at once where queries are fitted independently.
constexpr std::size_t kItemsAtOnce = 20'000;

[[noreturn]] void refuse_no_query_left() { throw InputError("--min-impressions leaves no query"); }

Sample sample_of(const LogStatistics& collected, const QueryChoice& choice) {
  Sample sample = make_sample(collected.statistics, choice);
  if (sample.queries.empty()) refuse_no_query_left();
  return sample;
}

// Collects what it is handed.
class WholeModel : public FittedSink {
 public:
  void begin(const FittedModel& head) override { model = head; }
  void add(FittedQuery&& query) override { model.queries.push_back(std::move(query)); }

  FittedModel model;
};

void hand_over(FittedModel&& fitted, LogReport&& report, FittedSink& sink) {
  std::vector<FittedQuery> queries = std::move(fitted.queries);
  fitted.queries.clear();
  fitted.log = std::move(report);
  sink.begin(fitted);
  for (FittedQuery& query : queries) sink.add(std::move(query));
}

// A model that says that it fits each query alone is taken at its word.
void check_piece(const ClickModel& model, const Sample& sample, const FittedModel& fitted,
                 const FittedLists& shared) {
  const bool same = std::equal(
      fitted.queries.begin(), fitted.queries.end(), sample.queries.begin(), sample.queries.end(),
      [](const auto& given, const auto& asked) { return given.query == asked.id; });
  if (same && fitted.lists == shared) return;
  throw InputError(fmt::format(
      "the estimator of the model {}: it says that it fits each query by itself, but gives {}",
      quote(model.name),
      same ? "other shared lists for other queries" : "other queries than it was asked for"));
}

// The head is that of the first piece: nothing else in it depends on the queries.
void fit_in_pieces(const ClickModel& model, const LogStatistics& collected, const LogFit& how,
                   FittedSink& sink) {
  const Statistics& statistics = collected.statistics;
  const SampleOrder order = order_of(statistics.counts, how.choice);
  if (order.queries.empty()) refuse_no_query_left();
  FittedLists shared;
  for (std::size_t first = 0; first < order.queries.size();) {
    if (how.options.stop.stop_requested()) throw Interrupted();
    std::size_t end = first + 1;
    while (end < order.queries.size() &&
           order.begin[end + 1] - order.begin[first] <= kItemsAtOnce) {
      ++end;
    }
    const Sample sample = piece_of_sample(statistics, order, first, end);
    FittedModel fitted = fit(model, sample, how.options);
    if (first == 0) shared = fitted.lists;
    check_piece(model, sample, fitted, shared);
    std::vector<FittedQuery> queries = std::move(fitted.queries);
    fitted.queries.clear();
    fitted.log = collected.report;
    if (first == 0) sink.begin(fitted);
    for (FittedQuery& query : queries) sink.add(std::move(query));
    first = end;
  }
}

bool fits_in_pieces(const ClickModel& model, const FitOptions& options) {
  return model.fits_each_query && options.method == Method::kCount && !options.shared;
}

}  // namespace

void fit_log(const ClickModel& model, const Log& log, ReadOptions reading, const LogFit& how,
             FittedSink& sink, const std::function<void()>& when_read) {
  check_method(model, how.options.method);
  Needs needs = model.needs(how.options);
  needs.most_tails = how.most_tails;
  LogStatistics collected = collect(log, reading, needs);
  reading.control.bytes_done = nullptr;
  if (when_read) when_read();
  require_impressions(collected.report);
  if (fits_in_pieces(model, how.options)) return fit_in_pieces(model, collected, how, sink);
  Sample sample = sample_of(collected, how.choice);
  if (needs.any_tails() && !sample.tails) {
    if (!log.can_read_again) {
      throw InputError(
          "the log has more distinct tails than --max-tails, and EM cannot read standard input or "
          "a pipe again: raise --max-tails, or give a file");
    }
    sample.tails = tails_of_log(log, reading.control, needs.tail_kind(), sample);
  }
  collected.statistics = Statistics();  // the sample has it all
  hand_over(fit(model, sample, how.options), std::move(collected.report), sink);
}

Needs needs_of(const ClickModel& model) {
  FitOptions options;
  options.method =
      std::find(model.methods.begin(), model.methods.end(), Method::kEm) != model.methods.end()
          ? Method::kEm
          : model.methods.front();
  return model.needs(options);
}

void require_needs(const ClickModel& model, const FitOptions& options, const Needs& held,
                   const std::string& source) {
  check_method(model, options.method);
  if (held.covers(model.needs(options))) return;
  throw InputError(
      fmt::format("{}: the counts lack what {} needs for method {}: count the log with --for {}",
                  source, model.name, name_of(options.method), model.name));
}

void require_tails(const Statistics& statistics) {
  if (!statistics.tails || !statistics.tails->overflown()) return;
  throw InputError(
      fmt::format("more than {} distinct tails, which are kept in memory: raise "
                  "--max-tails",
                  statistics.tails->most()));
}

void fit_counts(const ClickModel& model, LogStatistics counted, const LogFit& how,
                FittedSink& sink) {
  require_needs(model, how.options, counted.statistics.holds(), "--counts");
  require_impressions(counted.report);
  require_tails(counted.statistics);
  counted.statistics.keep(model.needs(how.options));
  if (fits_in_pieces(model, how.options)) return fit_in_pieces(model, counted, how, sink);
  const Sample sample = sample_of(counted, how.choice);
  counted.statistics = Statistics();  // the sample has it all
  hand_over(fit(model, sample, how.options), std::move(counted.report), sink);
}

FittedModel fit_log(const ClickModel& model, const Log& log, ReadOptions reading, const LogFit& how,
                    const std::function<void()>& when_read) {
  WholeModel whole;
  fit_log(model, log, std::move(reading), how, whole, when_read);
  return std::move(whole.model);
}

FittedModel fit_counts(const ClickModel& model, LogStatistics counted, const LogFit& how) {
  WholeModel whole;
  fit_counts(model, std::move(counted), how, whole);
  return std::move(whole.model);
}

}  // namespace dcmrank
