// A file of counts: refused with InputError, or counts that print and read back the same.
#include <cstdlib>

#include "dcmrank/base/error.h"
#include "dcmrank/fit/counts_file.h"

namespace {

dcmrank::LogStatistics read(std::string_view text) {
  dcmrank::LogStatistics log{dcmrank::Statistics(dcmrank::held_by_counts(text, "fuzz")),
                             dcmrank::LogReport()};
  dcmrank::merge_counts(text, "fuzz", log);
  return log;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text;
  try {
    text = print_counts(read({reinterpret_cast<const char*>(data), size}));
  } catch (const dcmrank::InputError&) {
    return 0;
  }
  try {
    if (print_counts(read(text)) != text) std::abort();
  } catch (const dcmrank::InputError&) {
    return 0;  // sums above what a file may hold
  }
  return 0;
}
