#pragma once

#include <cstddef>
#include <functional>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/counts_file.h"
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

/// Fits a model to counts. Throws InputError for methods that need the log itself.
FittedModel fit_counts(const ClickModel& model, CountedLog counted, const LogFit& how);

/// The same into a sink: where queries are fitted independently, never more than a few of them are
/// in memory beside what was counted.
void fit_log(const ClickModel& model, const Log& log, ReadOptions reading, const LogFit& how,
             FittedSink& sink, const std::function<void()>& when_read = {});
void fit_counts(const ClickModel& model, CountedLog counted, const LogFit& how, FittedSink& sink);

}  // namespace dcmrank
