#pragma once

#include <stop_token>

namespace dcmrank::command {

/// From now on Ctrl-C (SIGINT), SIGTERM and the end of a terminal (SIGHUP) ask the returned token
/// to stop instead of ending the process, so that what is half-written can be removed. A second one
/// ends it at once. Call first in main, before any thread is started: threads inherit the blocked
/// signals.
std::stop_token catch_interrupts();

/// The signal that was caught, 0 if none.
int caught_signal();

}  // namespace dcmrank::command
