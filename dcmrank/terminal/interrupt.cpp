#include "dcmrank/terminal/interrupt.h"

#include <atomic>
#include <csignal>
#include <thread>

#include <pthread.h>
#include <unistd.h>

namespace dcmrank::command {
namespace {

// Written by the thread that waits for signals. NOLINTNEXTLINE(*-avoid-non-const-global-variables)
std::atomic<int> signal_caught = 0;

}  // namespace

std::stop_token catch_interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::stop_source source;
  std::thread([source, signals]() mutable {
    int signal = 0;
    sigwait(&signals, &signal);
    signal_caught = signal;
    source.request_stop();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // the next one is deadly
    for (;;) pause();
  }).detach();
  return source.get_token();
}

int caught_signal() { return signal_caught; }

}  // namespace dcmrank::command
