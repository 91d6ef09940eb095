#include "program_within.h"

#ifdef DCMRANK_PROGRAM_WITHIN

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>

#include <sanitizer/lsan_interface.h>
#include <unistd.h>

#define main dcmrank_main
#include "cli/main.cpp"
#undef main

namespace dcmrank::testing {

bool program_is_within() {
  std::cout.flush();  // what stands there would be written by both
  std::fflush(nullptr);
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads)) == 1;
}

// Without the ends of what the tests hold: servers and folders of theirs.
void end_as_program(int count, char** words) {
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  int status = dcmrank_main(count, words);
  std::cout.flush();
  std::fflush(nullptr);
  constexpr int kLeaks = 23;
  if (__lsan_do_recoverable_leak_check() != 0) status = kLeaks;
  ::_exit(status);
}

}  // namespace dcmrank::testing

#else

#include <cstdlib>

namespace dcmrank::testing {

bool program_is_within() { return false; }
void end_as_program(int, char**) { std::abort(); }

}  // namespace dcmrank::testing

#endif
