#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <type_traits>

#include "bindings.h"

namespace dcmrank::python {

/// How long C++ work is followed and stopped: what ExperimentControl, ReadControl and FitOptions
/// are made of.
struct WorkControl {
  std::stop_token stop;              // requested by Ctrl-C; work that sees it throws Interrupted
  std::atomic<std::uint64_t>& done;  // increased by the work, in units of its own
};

/// What is told how much of long work is done: a function of that number, or None.
class Report : public nb::object {
 public:
  using nb::object::object;
  static constexpr auto Name = nb::detail::const_name("collections.abc.Callable[[int], None]");
};

/// Does `work` on a thread of its own with the GIL released. The caller's thread looks for Ctrl-C
/// and calls `progress(done)` (None: nobody does) twenty times a second, holding the GIL only for
/// that. Whatever the signal handler or `progress` raises stops the work and is raised when it has
/// ended. What `work` throws is thrown here. `work` must not touch Python objects, not even copy
/// one.
void run_long(nb::handle progress, const std::function<void(const WorkControl&)>& work);

/// The same for work that returns something:
///
///     return run_long_for(progress, [&](const WorkControl& control) {
///       return compare(problem, policies, options, {control.stop, &control.done});
///     });
template <class Work>
auto run_long_for(nb::handle progress, Work work) {
  std::optional<std::invoke_result_t<Work, const WorkControl&>> result;
  run_long(progress, [&](const WorkControl& control) { result.emplace(work(control)); });
  return std::move(*result);
}

}  // namespace dcmrank::python
