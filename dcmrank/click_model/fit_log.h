#pragma once

#include <cstddef>
#include <functional>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/log/reader.h"

namespace dcmrank {

/// How a model is fitted to a log: the options of 'dcmrank fit'.
struct LogFit {
  FitOptions options;
  QueryChoice choice;
  std::size_t most_tails = 2'000'000;
};

/// Takes a fitted model query by query, in the order of the model.
class FittedSink {
 public:
  virtual ~FittedSink() = default;
  /// First, all but the queries.
  virtual void begin(const FittedModel& head) = 0;
  virtual void add(FittedQuery&& query) = 0;
};

/// Fits a model to a log. With more distinct tails than may be kept in memory, EM reads the log
/// again in each iteration. Throws InputError if nothing is left to fit, or the log cannot be
/// read again. `reading` follows only the first reading, in `bytes_done`; `when_read` is called
/// after it.
FittedModel fit_log(const ClickModel& model, const Log& log, ReadOptions reading, const LogFit& how,
                    const std::function<void()>& when_read = {});

/// What a model by its most demanding method needs of a log: EM where it has it.
Needs needs_of(const ClickModel& model);

/// Throws InputError, naming `source`, unless who holds `held` has what the fit needs.
void require_needs(const ClickModel& model, const FitOptions& options, const Needs& held,
                   const std::string& source);

/// Throws InputError where the log has more distinct tails than could be kept.
void require_tails(const Statistics& statistics);

/// Fits a model to what was counted: the bits of fitting the whole log. Throws InputError where it
/// does not hold what the method needs.
FittedModel fit_counts(const ClickModel& model, LogStatistics counted, const LogFit& how);

/// The same into a sink: where queries are fitted independently, never more than a few of them are
/// in memory beside what was counted.
void fit_log(const ClickModel& model, const Log& log, ReadOptions reading, const LogFit& how,
             FittedSink& sink, const std::function<void()>& when_read = {});
void fit_counts(const ClickModel& model, LogStatistics counted, const LogFit& how,
                FittedSink& sink);

}  // namespace dcmrank
