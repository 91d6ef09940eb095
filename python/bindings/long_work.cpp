#include "long_work.h"

#include <chrono>
#include <exception>
#include <future>
#include <thread>

namespace dcmrank::python {
namespace {

constexpr std::chrono::milliseconds kGlance{50};

// Looks for Ctrl-C and tells how far the work is. Whatever is raised comes back.
std::exception_ptr look_around(nb::handle progress, std::uint64_t done) {
  const nb::gil_scoped_acquire gil;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(done);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

void run_long(nb::handle progress, const std::function<void(const WorkControl&)>& work) {
  std::atomic<std::uint64_t> done = 0;
  std::stop_source stop;
  std::exception_ptr raised;  // Python's: let go of where the GIL is held
  std::future<void> ending;
  {
    const nb::gil_scoped_release released;
    ending = std::async(std::launch::async, [&] { work({stop.get_token(), done}); });
    while (ending.wait_for(kGlance) == std::future_status::timeout) {
      if (raised) continue;
      raised = look_around(progress, done);
      if (raised) stop.request_stop();
    }
  }
  if (raised) std::rethrow_exception(raised);
  ending.get();
  if (!progress.is_none()) progress(done.load());
}

}  // namespace dcmrank::python
