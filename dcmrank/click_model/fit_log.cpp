#include "dcmrank/click_model/fit_log.h"

#include <utility>

#include "dcmrank/base/error.h"
#include "dcmrank/fit/statistics.h"

namespace dcmrank {
namespace {

Sample sample_of(const LogStatistics& collected, const QueryChoice& choice) {
  require_impressions(collected.report);
  Sample sample = make_sample(collected.statistics, choice);
  if (sample.queries.empty()) throw InputError("--min-impressions leaves no query");
  return sample;
}

FittedModel fit_sample(const ClickModel& model, const Sample& sample, const FitOptions& options,
                       LogReport report) {
  FittedModel fitted = fit(model, sample, options);
  fitted.log = std::move(report);
  return fitted;
}

}  // namespace

FittedModel fit_log(const ClickModel& model, const Log& log, ReadOptions reading, const LogFit& how,
                    const std::function<void()>& when_read) {
  check_method(model, how.options.method);
  Needs needs = model.needs(how.options);
  needs.most_tails = how.most_tails;
  LogStatistics collected = collect(log, reading, needs);
  reading.control.bytes_done = nullptr;
  if (when_read) when_read();
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
  return fit_sample(model, sample, how.options, std::move(collected.report));
}

FittedModel fit_counts(const ClickModel& model, CountedLog counted, const LogFit& how) {
  check_method(model, how.options.method);
  const Needs needs = model.needs(how.options);
  if (needs.any_tails() || needs.any_contexts()) {
    throw InputError("--counts: EM needs the log itself, counts do not suffice");
  }
  LogStatistics collected;
  collected.statistics.counts = std::move(counted.counts);
  collected.report = std::move(counted.report);
  const Sample sample = sample_of(collected, how.choice);
  return fit_sample(model, sample, how.options, std::move(collected.report));
}

}  // namespace dcmrank
