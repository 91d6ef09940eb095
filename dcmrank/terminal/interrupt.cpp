#include "dcmrank/terminal/interrupt.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include "dcmrank/terminal/tell.h"

namespace dcmrank::command {
namespace {

// Written by the thread that waits for signals. NOLINTNEXTLINE(*-avoid-non-const-global-variables)
std::atomic<int> signal_caught = 0;
// Written by hang_up. NOLINTNEXTLINE(*-avoid-non-const-global-variables)
std::atomic<bool> hung_up = false;

// By a handler, which the service replaces by its own: there it means something else.
void hang_up(int /*signal*/) {
  hung_up = true;
  ::kill(::getpid(), SIGTERM);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

std::stop_token catch_interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (!is_ignored(SIGHUP)) std::signal(SIGHUP, hang_up);  // nohup ignores it
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::stop_source source;
  std::thread([source, signals]() mutable {
    int signal = 0;
    sigwait(&signals, &signal);
    signal_caught = hung_up ? SIGHUP : signal;
    source.request_stop();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // the next one is deadly
    // Who sits there and sees nothing happen, because what others added does not look up.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    if (signal == SIGINT && isatty(STDERR_FILENO) != 0) {
      tell("dcmrank: stopping; press Ctrl-C again to stop at once\n");
    }
    for (;;) pause();
  }).detach();
  return source.get_token();
}

int caught_signal() { return signal_caught; }

}  // namespace dcmrank::command
